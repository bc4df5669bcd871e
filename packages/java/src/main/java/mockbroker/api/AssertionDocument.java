// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Map;

/** One assertion: its name, and its arguments by name. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record AssertionDocument(
    @JsonProperty("name") String name,
    @JsonProperty("arguments") Map<String, Object> arguments) {
}

