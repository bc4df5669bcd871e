// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/** All topics, ordered by name. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TopicsView(
    @JsonProperty("topics") List<TopicView> topics) {
}

