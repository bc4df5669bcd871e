// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Change a byte of the records: those of a Produce before they arrive, of a Fetch after. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Corrupt(
    @JsonProperty("corrupt") boolean corrupt) implements Effect {
}

