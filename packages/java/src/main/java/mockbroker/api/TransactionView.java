// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/** A transactional id, from its coordinator's state. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TransactionView(
    @JsonProperty("transactional_id") String transactionalId,
    @JsonProperty("coordinator") int coordinator,
    @JsonProperty("state") String state,
    @JsonInclude(JsonInclude.Include.ALWAYS) @JsonProperty("pending_state") String pendingState,
    @JsonProperty("producer_id") long producerId,
    @JsonProperty("producer_epoch") int producerEpoch,
    @JsonProperty("last_producer_epoch") int lastProducerEpoch,
    @JsonProperty("timeout_ms") int timeoutMs,
    @JsonProperty("partitions") List<TopicPartitionView> partitions,
    @JsonInclude(JsonInclude.Include.ALWAYS) @JsonProperty("started_at_ms") Long startedAtMs,
    @JsonProperty("updated_at_ms") long updatedAtMs) {
}

