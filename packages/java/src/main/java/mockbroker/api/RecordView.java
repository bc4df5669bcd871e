// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/** One record. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RecordView(
    @JsonProperty("offset") long offset,
    @JsonProperty("timestamp_ms") long timestampMs,
    @JsonProperty("key") BytesView key,
    @JsonProperty("value") BytesView value,
    @JsonProperty("headers") List<HeaderView> headers,
    @JsonProperty("producer_id") long producerId,
    @JsonProperty("producer_epoch") int producerEpoch,
    @JsonProperty("sequence") int sequence,
    @JsonProperty("is_transactional") boolean isTransactional) {
}

