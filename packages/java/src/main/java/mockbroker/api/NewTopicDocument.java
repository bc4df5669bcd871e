// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Map;

/** A topic to create; by default, with the replicas of `default.replication.factor`. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record NewTopicDocument(
    @JsonProperty("name") String name,
    @JsonProperty("partitions") Integer partitions,
    @JsonProperty("replication_factor") Integer replicationFactor,
    @JsonProperty("config") Map<String, String> config) {

  /** Return a builder with no field set. */
  public static Builder builder() {
    return new Builder();
  }

  /** Builder of a {@link NewTopicDocument}; a field that is not set keeps its default. */
  public static final class Builder {
    private String name;
    private Integer partitions;
    private Integer replicationFactor;
    private Map<String, String> config;

    private Builder() {}

    /** Set {@code name}. */
    public Builder name(String value) {
      this.name = value;
      return this;
    }

    /** Set {@code partitions}. */
    public Builder partitions(Integer value) {
      this.partitions = value;
      return this;
    }

    /** Set {@code replication_factor}. */
    public Builder replicationFactor(Integer value) {
      this.replicationFactor = value;
      return this;
    }

    /** Set {@code config}. */
    public Builder config(Map<String, String> value) {
      this.config = value;
      return this;
    }

    /** Return the document. */
    public NewTopicDocument build() {
      return new NewTopicDocument(
          name,
          partitions,
          replicationFactor,
          config);
    }
  }
}

