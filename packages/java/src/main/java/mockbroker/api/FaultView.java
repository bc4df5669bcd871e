// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** One fault and its counters. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record FaultView(
    @JsonProperty("id") String id,
    @JsonProperty("match") Match match,
    @JsonProperty("trigger") Trigger trigger,
    @JsonProperty("effect") Effect effect,
    @JsonProperty("expressible") boolean expressible,
    @JsonProperty("python") String python,
    @JsonProperty("calls") int calls,
    @JsonProperty("hits") int hits,
    @JsonProperty("touched_bytes") long touchedBytes,
    @JsonProperty("held") int held,
    @JsonProperty("released") int released,
    @JsonProperty("is_over") boolean isOver,
    @JsonInclude(JsonInclude.Include.ALWAYS) @JsonProperty("error") String error,
    @JsonInclude(JsonInclude.Include.ALWAYS) @JsonProperty("warning") String warning,
    @JsonProperty("nearest") NearestView nearest,
    @JsonProperty("story") String story) {
}

