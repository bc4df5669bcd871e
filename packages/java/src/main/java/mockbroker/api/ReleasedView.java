// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Number of released calls. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ReleasedView(
    @JsonProperty("released") int released) {
}

