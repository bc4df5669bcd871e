// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.Map;

/** What was done to the cluster since its start, or since it was reset. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RecordingView(
    @JsonProperty("scenario") Map<String, Object> scenario,
    @JsonProperty("left_out") List<String> leftOut) {
}

