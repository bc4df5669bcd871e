// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The replica that catches up; default: all whose brokers are running. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record CatchUpDocument(
    @JsonProperty("broker") Integer broker) {
}

