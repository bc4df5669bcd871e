// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/** One topic. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TopicView(
    @JsonProperty("name") String name,
    @JsonProperty("topic_id") String topicId,
    @JsonProperty("is_internal") boolean isInternal,
    @JsonProperty("partitions") List<PartitionView> partitions) {
}

