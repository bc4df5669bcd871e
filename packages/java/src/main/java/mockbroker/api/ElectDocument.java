// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The broker to elect, and the new leader's log and producer state. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ElectDocument(
    @JsonProperty("topic") String topic,
    @JsonProperty("partition") int partition,
    @JsonProperty("to") Integer to,
    @JsonProperty("producer_state") ProducerStateEnum producerState,
    @JsonProperty("log") LogEnum log,
    @JsonProperty("log_end_offset") Long logEndOffset,
    @JsonProperty("high_watermark") Long highWatermark) {

  /** Values of {@code producerState}. */
  public enum ProducerStateEnum {
    @JsonProperty("from_log") FROM_LOG,
    @JsonProperty("from_snapshot") FROM_SNAPSHOT,
    @JsonProperty("full") FULL,
    @JsonProperty("none") NONE
  }

  /** Values of {@code log}. */
  public enum LogEnum {
    @JsonProperty("keep") KEEP,
    @JsonProperty("truncate") TRUNCATE
  }

  /** Return a builder with no field set. */
  public static Builder builder() {
    return new Builder();
  }

  /** Builder of a {@link ElectDocument}; a field that is not set keeps its default. */
  public static final class Builder {
    private String topic;
    private Integer partition;
    private Integer to;
    private ProducerStateEnum producerState;
    private LogEnum log;
    private Long logEndOffset;
    private Long highWatermark;

    private Builder() {}

    /** Set {@code topic}. */
    public Builder topic(String value) {
      this.topic = value;
      return this;
    }

    /** Set {@code partition}. */
    public Builder partition(Integer value) {
      this.partition = value;
      return this;
    }

    /** Set {@code to}. */
    public Builder to(Integer value) {
      this.to = value;
      return this;
    }

    /** Set {@code producer_state}. */
    public Builder producerState(ProducerStateEnum value) {
      this.producerState = value;
      return this;
    }

    /** Set {@code log}. */
    public Builder log(LogEnum value) {
      this.log = value;
      return this;
    }

    /** Set {@code log_end_offset}. */
    public Builder logEndOffset(Long value) {
      this.logEndOffset = value;
      return this;
    }

    /** Set {@code high_watermark}. */
    public Builder highWatermark(Long value) {
      this.highWatermark = value;
      return this;
    }

    /** Return the document. */
    public ElectDocument build() {
      return new ElectDocument(
          topic,
          partition,
          to,
          producerState,
          log,
          logEndOffset,
          highWatermark);
    }
  }
}

