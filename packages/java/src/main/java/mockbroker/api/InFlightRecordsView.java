// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Consecutive records of a share partition in the same state. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record InFlightRecordsView(
    @JsonProperty("first_offset") long firstOffset,
    @JsonProperty("last_offset") long lastOffset,
    @JsonProperty("state") String state,
    @JsonProperty("delivery_count") int deliveryCount,
    @JsonInclude(JsonInclude.Include.ALWAYS) @JsonProperty("member_id") String memberId,
    @JsonInclude(JsonInclude.Include.ALWAYS) @JsonProperty("lock_expires_ms") Long lockExpiresMs) {
}

