// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** One broker. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record BrokerView(
    @JsonProperty("id") int id,
    @JsonProperty("host") String host,
    @JsonProperty("port") int port,
    @JsonInclude(JsonInclude.Include.ALWAYS) @JsonProperty("rack") String rack,
    @JsonProperty("state") String state,
    @JsonProperty("is_controller") boolean isController,
    @JsonProperty("leads") int leads) {
}

