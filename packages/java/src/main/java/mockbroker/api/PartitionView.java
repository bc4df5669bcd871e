// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/** One partition: its replicas, and the offsets of its log. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PartitionView(
    @JsonProperty("partition") int partition,
    @JsonProperty("leader") int leader,
    @JsonProperty("leader_epoch") int leaderEpoch,
    @JsonProperty("replicas") List<Integer> replicas,
    @JsonProperty("in_sync_replicas") List<Integer> inSyncReplicas,
    @JsonProperty("log_start_offset") long logStartOffset,
    @JsonProperty("last_stable_offset") long lastStableOffset,
    @JsonProperty("high_watermark") long highWatermark,
    @JsonProperty("log_end_offset") long logEndOffset,
    @JsonProperty("size_bytes") long sizeBytes) {
}

