// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** A number of hits of another fault, or of calls that it held or released, from its start. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record FaultHits(
    @JsonProperty("fault") String fault,
    @JsonProperty("hits") Integer hits,
    @JsonProperty("held") Integer held,
    @JsonProperty("released") Integer released) implements Event {
}

