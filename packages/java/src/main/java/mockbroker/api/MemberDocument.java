// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** A member of the group. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record MemberDocument(
    @JsonProperty("member_id") String memberId) {
}

