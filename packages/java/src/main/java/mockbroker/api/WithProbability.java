// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Fire at each call with a probability; random choices use the cluster's seed. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record WithProbability(
    @JsonProperty("with_probability") double withProbability) implements Trigger {
}

