// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/** A group, from its coordinator's state. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record GroupView(
    @JsonProperty("group_id") String groupId,
    @JsonProperty("kind") String kind,
    @JsonProperty("state") String state,
    @JsonProperty("coordinator") int coordinator,
    @JsonProperty("group_epoch") int groupEpoch,
    @JsonProperty("assignment_epoch") int assignmentEpoch,
    @JsonProperty("is_held") boolean isHeld,
    @JsonProperty("members") List<GroupMemberView> members,
    @JsonProperty("offsets") List<CommittedOffsetView> offsets) {
}

