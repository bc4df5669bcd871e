// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Timeline of partitions as text: batches, markers, and offsets. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record LanesView(
    @JsonProperty("text") String text) {
}

