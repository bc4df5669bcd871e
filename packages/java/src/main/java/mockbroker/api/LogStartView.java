// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** A log start offset. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record LogStartView(
    @JsonProperty("log_start_offset") long logStartOffset) {
}

