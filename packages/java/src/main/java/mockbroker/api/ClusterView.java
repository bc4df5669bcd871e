// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Settings and state of a cluster. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ClusterView(
    @JsonProperty("cluster_id") String clusterId,
    @JsonProperty("kafka") String kafka,
    @JsonProperty("bootstrap_servers") String bootstrapServers,
    @JsonProperty("controller_id") int controllerId,
    @JsonProperty("seed") long seed,
    @JsonProperty("clock") ClockView clock) {
}

