// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/** All hanging transactions (KIP-664). */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record HangingsView(
    @JsonProperty("hanging") List<HangingView> hanging) {
}

