// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Number of records to lose; whole batches are lost. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TailDocument(
    @JsonProperty("records") Long records) {
}

