// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/** Result of a jump of the clock. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PassedView(
    @JsonProperty("now_ms") long nowMs,
    @JsonInclude(JsonInclude.Include.ALWAYS) @JsonProperty("now") String now,
    @JsonProperty("done") List<String> done,
    @JsonProperty("transactional_ids") List<String> transactionalIds,
    @JsonProperty("fell_due") List<DueEventView> fellDue) {
}

