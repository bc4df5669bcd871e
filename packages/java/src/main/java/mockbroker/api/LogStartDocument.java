// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The new log start offset. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record LogStartDocument(
    @JsonProperty("to") long to) {
}

