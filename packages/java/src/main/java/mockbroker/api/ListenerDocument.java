// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The advertised address, `host:port`; each next broker has the next port. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ListenerDocument(
    @JsonProperty("advertised") String advertised,
    @JsonProperty("broker") Integer broker) {
}

