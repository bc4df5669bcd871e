// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The call or the connection that came closest to a fault without matching it. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record NearestView(
    @JsonInclude(JsonInclude.Include.ALWAYS) @JsonProperty("api") String api,
    @JsonInclude(JsonInclude.Include.ALWAYS) @JsonProperty("version") Integer version,
    @JsonProperty("connection") long connection,
    @JsonInclude(JsonInclude.Include.ALWAYS) @JsonProperty("client_id") String clientId,
    @JsonProperty("miss") String miss) {
}

