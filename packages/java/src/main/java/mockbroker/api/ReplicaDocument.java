// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** A replica, by the id of its broker. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ReplicaDocument(
    @JsonProperty("broker") int broker) {
}

