// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/** The dead letters that wait, in the order in which they are written. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record HeldDeadLettersView(
    @JsonProperty("waiting") List<String> waiting) {
}

