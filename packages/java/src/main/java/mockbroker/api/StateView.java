// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/** The whole state of a cluster. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record StateView(
    @JsonProperty("cluster") ClusterView cluster,
    @JsonProperty("brokers") List<BrokerView> brokers,
    @JsonProperty("topics") List<TopicView> topics,
    @JsonProperty("transactions") List<TransactionView> transactions,
    @JsonProperty("hanging") List<HangingView> hanging,
    @JsonProperty("faults") List<FaultView> faults) {
}

