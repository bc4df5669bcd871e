// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Apply the request twice; the client gets the first response. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Duplicate(
    @JsonProperty("duplicate") boolean duplicate) implements Effect {
}

