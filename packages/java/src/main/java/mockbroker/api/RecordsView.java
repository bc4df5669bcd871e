// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/** Records of a partition that consumers with an isolation level can read. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RecordsView(
    @JsonProperty("topic") String topic,
    @JsonProperty("partition") int partition,
    @JsonProperty("records") List<RecordView> records) {
}

