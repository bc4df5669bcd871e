// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** One batch of a log. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record BatchView(
    @JsonProperty("base_offset") long baseOffset,
    @JsonProperty("last_offset") long lastOffset,
    @JsonProperty("records") long records,
    @JsonProperty("size_bytes") long sizeBytes,
    @JsonProperty("leader_epoch") int leaderEpoch,
    @JsonProperty("timestamp_ms") long timestampMs,
    @JsonProperty("compression") String compression,
    @JsonProperty("producer_id") long producerId,
    @JsonProperty("producer_epoch") int producerEpoch,
    @JsonProperty("base_sequence") int baseSequence,
    @JsonProperty("last_sequence") int lastSequence,
    @JsonProperty("is_transactional") boolean isTransactional,
    @JsonInclude(JsonInclude.Include.ALWAYS) @JsonProperty("marker") String marker) {
}

