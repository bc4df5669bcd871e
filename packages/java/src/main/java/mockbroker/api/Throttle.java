// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Apply the request, and set the throttle time of the response. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Throttle(
    @JsonProperty("throttle") String throttle) implements Effect {
}

