// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/** All faults in the order of their creation: the first is the outermost. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record FaultsView(
    @JsonProperty("faults") List<FaultView> faults) {
}

