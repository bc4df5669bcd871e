// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Steps to hold: all, or only the marker of one partition. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record HoldDocument(
    @JsonProperty("topic") String topic,
    @JsonProperty("partition") Integer partition) {
}

