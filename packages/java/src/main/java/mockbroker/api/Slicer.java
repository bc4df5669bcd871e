// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Split the data into pieces of about a size, with a delay after each. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Slicer(
    @JsonProperty("slicer") SlicerSettings slicer) implements Effect {
}

