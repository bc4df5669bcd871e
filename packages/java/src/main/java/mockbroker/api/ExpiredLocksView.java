// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Number of records whose locks have expired. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ExpiredLocksView(
    @JsonProperty("records") long records) {
}

