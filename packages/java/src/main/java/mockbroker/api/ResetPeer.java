// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Lose the next bytes, and reset the connection (RST) a time after they arrived. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ResetPeer(
    @JsonProperty("reset_peer") ResetPeerSettings resetPeer) implements Effect {
}

