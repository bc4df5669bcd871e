// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Apply the request, and answer with an error. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ApplyThenAnswer(
    @JsonProperty("apply_then_answer") String applyThenAnswer,
    @JsonProperty("top_level") Boolean topLevel) implements Effect {
}

