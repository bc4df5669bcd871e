// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Apply the request, and delay the response, by `250ms` for example. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Delay(
    @JsonProperty("delay") String delay) implements Effect {
}

