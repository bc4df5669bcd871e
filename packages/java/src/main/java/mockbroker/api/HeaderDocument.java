// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** A header of a record to append. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record HeaderDocument(
    @JsonProperty("key") String key,
    @JsonInclude(JsonInclude.Include.ALWAYS) @JsonProperty("value") String value) {
}

