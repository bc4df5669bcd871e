// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Hold the request until an event (`mockbroker.at`), for a time, or until it is released. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Hold(
    @JsonProperty("hold") String hold,
    @JsonProperty("until") Object until,
    @JsonProperty("block_connection") Boolean blockConnection) implements Effect {
}

