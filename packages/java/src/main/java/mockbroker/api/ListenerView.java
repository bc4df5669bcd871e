// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/** A listener of all brokers. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ListenerView(
    @JsonProperty("name") String name,
    @JsonProperty("advertised") List<AdvertisedView> advertised) {
}

