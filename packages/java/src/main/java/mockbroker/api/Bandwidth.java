// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Limit a connection to this many kilobytes, of 1000 bytes, a second. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Bandwidth(
    @JsonProperty("bandwidth") BandwidthSettings bandwidth) implements Effect {
}

