// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** A marker that ends a transaction in a partition, of any producer or of one. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Marker(
    @JsonProperty("marker") MarkerEnum marker,
    @JsonProperty("topic") String topic,
    @JsonProperty("partition") int partition,
    @JsonProperty("producer_id") Long producerId) implements Event {

  /** Values of {@code marker}. */
  public enum MarkerEnum {
    @JsonProperty("abort") ABORT,
    @JsonProperty("any") ANY,
    @JsonProperty("commit") COMMIT
  }
}

