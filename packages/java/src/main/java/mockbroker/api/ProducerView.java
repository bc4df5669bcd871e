// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** A producer, from the state of a partition's leader. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ProducerView(
    @JsonProperty("topic") String topic,
    @JsonProperty("partition") int partition,
    @JsonProperty("producer_id") long producerId,
    @JsonProperty("producer_epoch") int producerEpoch,
    @JsonProperty("last_sequence") int lastSequence,
    @JsonProperty("last_offset") long lastOffset,
    @JsonProperty("last_timestamp_ms") long lastTimestampMs,
    @JsonProperty("coordinator_epoch") int coordinatorEpoch,
    @JsonInclude(JsonInclude.Include.ALWAYS) @JsonProperty("transaction_first_offset") Long transactionFirstOffset) {
}

