// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** An argument of an assertion. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ArgumentView(
    @JsonProperty("name") String name,
    @JsonProperty("kind") String kind,
    @JsonProperty("about") String about,
    @JsonProperty("is_required") boolean isRequired) {
}

