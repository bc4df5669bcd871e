// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The seed of all random choices from now on. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SeedView(
    @JsonProperty("seed") long seed) {
}

