// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** A record's header. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record HeaderView(
    @JsonProperty("key") String key,
    @JsonProperty("value") BytesView value) {
}

