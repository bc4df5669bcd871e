// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The producer snapshot that the replica loads. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SnapshotDocument(
    @JsonProperty("snapshot") SnapshotEnum snapshot) {

  /** Values of {@code snapshot}. */
  public enum SnapshotEnum {
    @JsonProperty("full") FULL,
    @JsonProperty("none") NONE,
    @JsonProperty("stale") STALE
  }
}

