// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Fire at one call: `on_call(2)` at the second. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record OnCall(
    @JsonProperty("on_call") int onCall) implements Trigger {
}

