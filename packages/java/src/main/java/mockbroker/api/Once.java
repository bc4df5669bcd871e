// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Fire at the first call. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Once(
    @JsonProperty("once") boolean once) implements Trigger {
}

