// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** A number of records in a topic, or in one partition of it, from the start of its log. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Records(
    @JsonProperty("records") long records,
    @JsonProperty("topic") String topic,
    @JsonProperty("partition") Integer partition) implements Event {
}

