// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** New time of the clock, and whether it is frozen. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ClockDocument(
    @JsonProperty("now") String now,
    @JsonProperty("frozen") Boolean frozen,
    @JsonProperty("keep_sessions") Boolean keepSessions) {
}

