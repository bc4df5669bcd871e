// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The acquisition locks of a topic, a partition, a member; default: of the whole group. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record LocksDocument(
    @JsonProperty("topic") String topic,
    @JsonProperty("partition") Integer partition,
    @JsonProperty("member_id") String memberId) {
}

