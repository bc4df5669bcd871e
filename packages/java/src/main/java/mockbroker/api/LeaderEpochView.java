// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** A leader epoch, and its first offset. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record LeaderEpochView(
    @JsonProperty("leader_epoch") int leaderEpoch,
    @JsonProperty("start_offset") long startOffset) {
}

