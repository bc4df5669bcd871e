// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/** A member of a group; in a streams group, `topic` is the subtopology of a task. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record GroupMemberView(
    @JsonProperty("member_id") String memberId,
    @JsonInclude(JsonInclude.Include.ALWAYS) @JsonProperty("instance_id") String instanceId,
    @JsonProperty("client_id") String clientId,
    @JsonProperty("client_host") String clientHost,
    @JsonProperty("member_epoch") int memberEpoch,
    @JsonProperty("state") String state,
    @JsonProperty("subscribed_topics") List<String> subscribedTopics,
    @JsonProperty("assigned") List<TopicPartitionView> assigned,
    @JsonProperty("pending_revocation") List<TopicPartitionView> pendingRevocation,
    @JsonProperty("target") List<TopicPartitionView> target,
    @JsonProperty("standby") List<TopicPartitionView> standby,
    @JsonProperty("warmup") List<TopicPartitionView> warmup) {
}

