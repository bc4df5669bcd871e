// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The time to advance the clock by. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record AdvanceDocument(
    @JsonProperty("by") String by,
    @JsonProperty("keep_sessions") Boolean keepSessions) {
}

