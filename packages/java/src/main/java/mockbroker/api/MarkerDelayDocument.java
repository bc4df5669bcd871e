// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Time between the decision on a transaction and its markers. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record MarkerDelayDocument(
    @JsonProperty("by") String by,
    @JsonProperty("probability") Double probability) {
}

