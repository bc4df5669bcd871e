// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/** Batches of a partition, from an offset on. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record LogView(
    @JsonProperty("topic") String topic,
    @JsonProperty("partition") int partition,
    @JsonProperty("log_start_offset") long logStartOffset,
    @JsonProperty("last_stable_offset") long lastStableOffset,
    @JsonProperty("high_watermark") long highWatermark,
    @JsonProperty("log_end_offset") long logEndOffset,
    @JsonProperty("batches") List<BatchView> batches,
    @JsonProperty("next_offset") long nextOffset) {
}

