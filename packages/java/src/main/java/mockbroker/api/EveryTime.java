// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Fire at every call. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record EveryTime(
    @JsonProperty("every_time") boolean everyTime) implements Trigger {
}

