// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The transactional id or the group whose coordinator moves. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record MoveDocument(
    @JsonProperty("transactional_id") String transactionalId,
    @JsonProperty("group") String group,
    @JsonProperty("to") Integer to) {
}

