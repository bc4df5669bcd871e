// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Confirmation that the process stops. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record StoppingView(
    @JsonProperty("status") String status) {
}

