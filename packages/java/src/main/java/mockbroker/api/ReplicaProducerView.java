// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** A producer, as one replica knows it. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ReplicaProducerView(
    @JsonProperty("producer_id") long producerId,
    @JsonProperty("producer_epoch") int producerEpoch,
    @JsonProperty("last_sequence") int lastSequence,
    @JsonProperty("last_offset") long lastOffset,
    @JsonProperty("current_txn_first_offset") long currentTxnFirstOffset) {
}

