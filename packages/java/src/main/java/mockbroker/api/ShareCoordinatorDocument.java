// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** A share partition, and the broker to move its coordinator to; default: the next replica. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ShareCoordinatorDocument(
    @JsonProperty("topic") String topic,
    @JsonProperty("partition") int partition,
    @JsonProperty("to") Integer to) {
}

