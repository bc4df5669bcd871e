// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Change nothing, at every call: for `hits` and `wait`. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Observe(
    @JsonProperty("observe") boolean observe) implements Effect {
}

