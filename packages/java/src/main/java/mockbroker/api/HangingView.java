// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** A hanging transaction: open in a partition, and never ended by any coordinator. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record HangingView(
    @JsonProperty("topic") String topic,
    @JsonProperty("partition") int partition,
    @JsonProperty("producer_id") long producerId,
    @JsonProperty("producer_epoch") int producerEpoch,
    @JsonProperty("coordinator_epoch") int coordinatorEpoch,
    @JsonProperty("first_offset") long firstOffset) {
}

