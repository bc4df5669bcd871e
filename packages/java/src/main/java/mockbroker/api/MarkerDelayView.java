// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The delay of the markers of each transaction that ends from now on. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record MarkerDelayView(
    @JsonProperty("by") String by,
    @JsonProperty("probability") double probability) {
}

