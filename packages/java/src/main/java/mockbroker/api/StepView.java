// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The completed step; `null` if none is left. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record StepView(
    @JsonInclude(JsonInclude.Include.ALWAYS) @JsonProperty("done") String done) {
}

