// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** An assertion that failed. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record FailureView(
    @JsonProperty("name") String name,
    @JsonProperty("text") String text) {
}

