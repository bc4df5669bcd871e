// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The seed of all random choices. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SeedDocument(
    @JsonProperty("seed") long seed) {
}

