// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Fire at the first `count` calls. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Times(
    @JsonProperty("times") int times) implements Trigger {
}

