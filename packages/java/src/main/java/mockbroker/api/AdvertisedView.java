// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Advertised address of a broker. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record AdvertisedView(
    @JsonProperty("broker") int broker,
    @JsonProperty("host") String host,
    @JsonProperty("port") int port) {
}

