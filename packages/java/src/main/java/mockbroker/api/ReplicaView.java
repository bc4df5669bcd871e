// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/** One replica: the offsets, leader epochs and producers of its own log. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ReplicaView(
    @JsonProperty("broker") int broker,
    @JsonProperty("is_in_sync") boolean isInSync,
    @JsonProperty("fetches") boolean fetches,
    @JsonProperty("log_start_offset") long logStartOffset,
    @JsonProperty("last_stable_offset") long lastStableOffset,
    @JsonProperty("high_watermark") long highWatermark,
    @JsonProperty("log_end_offset") long logEndOffset,
    @JsonProperty("leader_epochs") List<LeaderEpochView> leaderEpochs,
    @JsonProperty("producers") List<ReplicaProducerView> producers) {
}

