// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Bytes, also decoded if they are valid text. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record BytesView(
    @JsonInclude(JsonInclude.Include.ALWAYS) @JsonProperty("text") String text,
    @JsonProperty("base64") String base64) {
}

