// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** A log end offset of a partition, which markers of transactions move as well. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record LogEndOffset(
    @JsonProperty("log_end_offset") long logEndOffset,
    @JsonProperty("topic") String topic,
    @JsonProperty("partition") int partition) implements Event {
}

