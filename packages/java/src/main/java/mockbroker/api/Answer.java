// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Answer with an error; nothing is applied. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Answer(
    @JsonProperty("answer") String answer,
    @JsonProperty("top_level") Boolean topLevel) implements Effect {
}

