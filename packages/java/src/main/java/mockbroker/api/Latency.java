// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Delay bytes by `latency`, plus or minus a random part of `jitter`. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Latency(
    @JsonProperty("latency") LatencySettings latency) implements Effect {
}

