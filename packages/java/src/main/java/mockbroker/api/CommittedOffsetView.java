// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** A committed offset. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record CommittedOffsetView(
    @JsonProperty("topic") String topic,
    @JsonProperty("partition") int partition,
    @JsonProperty("offset") long offset) {
}

