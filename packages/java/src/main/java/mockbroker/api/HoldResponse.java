// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Apply the request, and hold the response until an event, or for a time. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record HoldResponse(
    @JsonProperty("hold_response") String holdResponse,
    @JsonProperty("until") Object until) implements Effect {
}

