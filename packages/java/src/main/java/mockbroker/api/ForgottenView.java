// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** True if the producer was known. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ForgottenView(
    @JsonProperty("was_known") boolean wasKnown) {
}

