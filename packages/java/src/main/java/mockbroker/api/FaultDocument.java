// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** A complete fault; without a trigger it fires once, and a toxic at every connection. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record FaultDocument(
    @JsonProperty("id") String id,
    @JsonProperty("match") Match match,
    @JsonProperty("trigger") Trigger trigger,
    @JsonProperty("effect") Effect effect) {
}

