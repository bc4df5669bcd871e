// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Where a record was appended. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record AppendedView(
    @JsonProperty("topic") String topic,
    @JsonProperty("partition") int partition,
    @JsonProperty("offset") long offset,
    @JsonProperty("timestamp_ms") long timestampMs) {
}

