// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/** All groups, in the order of their ids. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record GroupsView(
    @JsonProperty("groups") List<GroupView> groups) {
}

