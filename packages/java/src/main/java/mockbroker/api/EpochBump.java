// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** A new producer epoch, or another producer id, of a transactional id. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record EpochBump(
    @JsonProperty("epoch_bump") String epochBump) implements Event {
}

