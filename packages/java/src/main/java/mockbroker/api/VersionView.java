// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Version of mockbroker, and the emulated release of Kafka. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record VersionView(
    @JsonProperty("version") String version,
    @JsonProperty("kafka") String kafka) {
}

