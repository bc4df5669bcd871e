// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/** The share partitions of a group, in the order of topics and partitions. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SharePartitionsView(
    @JsonProperty("share_partitions") List<SharePartitionView> sharePartitions) {
}

