// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The producer snapshot that the broker loads; default: as it was stopped or killed. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record StartDocument(
    @JsonProperty("producer_snapshot") ProducerSnapshotEnum producerSnapshot) {

  /** Values of {@code producerSnapshot}. */
  public enum ProducerSnapshotEnum {
    @JsonProperty("full") FULL,
    @JsonProperty("none") NONE,
    @JsonProperty("stale") STALE
  }
}

