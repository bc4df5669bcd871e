// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/** A partition as a share group sees it. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SharePartitionView(
    @JsonProperty("topic") String topic,
    @JsonProperty("partition") int partition,
    @JsonProperty("leader") int leader,
    @JsonProperty("share_coordinator") int shareCoordinator,
    @JsonProperty("is_loaded") boolean isLoaded,
    @JsonProperty("start_offset") long startOffset,
    @JsonProperty("end_offset") long endOffset,
    @JsonProperty("delivery_complete_count") long deliveryCompleteCount,
    @JsonProperty("in_flight") List<InFlightRecordsView> inFlight) {
}

