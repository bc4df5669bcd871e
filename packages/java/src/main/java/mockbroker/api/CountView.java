// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Number of matches. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record CountView(
    @JsonProperty("count") int count) {
}

