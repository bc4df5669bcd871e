// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/** A record to append; by default, its key chooses the partition. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RecordDocument(
    @JsonInclude(JsonInclude.Include.ALWAYS) @JsonProperty("value") String value,
    @JsonProperty("key") String key,
    @JsonProperty("headers") List<HeaderDocument> headers,
    @JsonProperty("partition") Integer partition,
    @JsonProperty("timestamp_ms") Long timestampMs,
    @JsonProperty("base64") Boolean base64) {

  /** Return a builder with no field set. */
  public static Builder builder() {
    return new Builder();
  }

  /** Builder of a {@link RecordDocument}; a field that is not set keeps its default. */
  public static final class Builder {
    private String value;
    private String key;
    private List<HeaderDocument> headers;
    private Integer partition;
    private Long timestampMs;
    private Boolean base64;

    private Builder() {}

    /** Set {@code value}. */
    public Builder value(String value) {
      this.value = value;
      return this;
    }

    /** Set {@code key}. */
    public Builder key(String value) {
      this.key = value;
      return this;
    }

    /** Set {@code headers}. */
    public Builder headers(HeaderDocument... values) {
      this.headers = List.of(values);
      return this;
    }

    /** Set {@code partition}. */
    public Builder partition(Integer value) {
      this.partition = value;
      return this;
    }

    /** Set {@code timestamp_ms}. */
    public Builder timestampMs(Long value) {
      this.timestampMs = value;
      return this;
    }

    /** Set {@code base64}. */
    public Builder base64(Boolean value) {
      this.base64 = value;
      return this;
    }

    /** Return the document. */
    public RecordDocument build() {
      return new RecordDocument(
          value,
          key,
          headers,
          partition,
          timestampMs,
          base64);
    }
  }
}

