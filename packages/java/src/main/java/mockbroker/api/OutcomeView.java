// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/** Result of the assertions. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record OutcomeView(
    @JsonProperty("ok") boolean ok,
    @JsonProperty("failures") List<FailureView> failures,
    @JsonProperty("nothing_judged") List<String> nothingJudged) {
}

