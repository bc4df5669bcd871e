// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Settings of the new topic; default: as before. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RecreateDocument(
    @JsonProperty("partitions") Integer partitions,
    @JsonProperty("start_offset") Long startOffset) {
}

