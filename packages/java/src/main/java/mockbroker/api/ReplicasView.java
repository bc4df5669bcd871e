// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/** The replicas of a partition, the preferred leader first. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ReplicasView(
    @JsonProperty("replicas") List<ReplicaView> replicas) {
}

