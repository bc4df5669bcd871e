// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Stop all data, and close the connection after a time; with 0 never. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Timeout(
    @JsonProperty("timeout") TimeoutSettings timeout) implements Effect {
}

