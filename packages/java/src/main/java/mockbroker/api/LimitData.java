// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Close a connection after this many more bytes. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record LimitData(
    @JsonProperty("limit_data") LimitDataSettings limitData) implements Effect {
}

