// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Delay the close of a connection by the broker, or upstream by the client. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SlowClose(
    @JsonProperty("slow_close") SlowCloseSettings slowClose) implements Effect {
}

