// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/** An available assertion. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record AssertionView(
    @JsonProperty("name") String name,
    @JsonProperty("about") String about,
    @JsonProperty("arguments") List<ArgumentView> arguments) {
}

