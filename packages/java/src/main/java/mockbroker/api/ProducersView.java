// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/** Producers, ordered by partition and producer id. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ProducersView(
    @JsonProperty("producers") List<ProducerView> producers) {
}

