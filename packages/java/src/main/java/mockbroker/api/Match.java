// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/** Selectors of a fault: a call must match all that are set; unset ones match anything. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Match(
    @JsonProperty("api") List<String> api,
    @JsonProperty("version") List<Integer> version,
    @JsonProperty("topic") List<String> topic,
    @JsonProperty("partition") List<Integer> partition,
    @JsonProperty("transactional_id") List<String> transactionalId,
    @JsonProperty("producer_id") List<Long> producerId,
    @JsonProperty("producer_epoch") List<Integer> producerEpoch,
    @JsonProperty("base_sequence") List<Integer> baseSequence,
    @JsonProperty("group") List<String> group,
    @JsonProperty("member_id") List<String> memberId,
    @JsonProperty("client_id") List<String> clientId,
    @JsonProperty("principal") List<String> principal,
    @JsonProperty("listener") List<String> listener,
    @JsonProperty("broker") List<Integer> broker,
    @JsonProperty("connection") List<Long> connection,
    @JsonProperty("between_brokers") Boolean betweenBrokers) {

  /** Return a builder with no field set. */
  public static Builder builder() {
    return new Builder();
  }

  /** Builder of a {@link Match}; a field that is not set keeps its default. */
  public static final class Builder {
    private List<String> api;
    private List<Integer> version;
    private List<String> topic;
    private List<Integer> partition;
    private List<String> transactionalId;
    private List<Long> producerId;
    private List<Integer> producerEpoch;
    private List<Integer> baseSequence;
    private List<String> group;
    private List<String> memberId;
    private List<String> clientId;
    private List<String> principal;
    private List<String> listener;
    private List<Integer> broker;
    private List<Long> connection;
    private Boolean betweenBrokers;

    private Builder() {}

    /** Set {@code api}. */
    public Builder api(String... values) {
      this.api = List.of(values);
      return this;
    }

    /** Set {@code version}. */
    public Builder version(Integer... values) {
      this.version = List.of(values);
      return this;
    }

    /** Set {@code topic}. */
    public Builder topic(String... values) {
      this.topic = List.of(values);
      return this;
    }

    /** Set {@code partition}. */
    public Builder partition(Integer... values) {
      this.partition = List.of(values);
      return this;
    }

    /** Set {@code transactional_id}. */
    public Builder transactionalId(String... values) {
      this.transactionalId = List.of(values);
      return this;
    }

    /** Set {@code producer_id}. */
    public Builder producerId(Long... values) {
      this.producerId = List.of(values);
      return this;
    }

    /** Set {@code producer_epoch}. */
    public Builder producerEpoch(Integer... values) {
      this.producerEpoch = List.of(values);
      return this;
    }

    /** Set {@code base_sequence}. */
    public Builder baseSequence(Integer... values) {
      this.baseSequence = List.of(values);
      return this;
    }

    /** Set {@code group}. */
    public Builder group(String... values) {
      this.group = List.of(values);
      return this;
    }

    /** Set {@code member_id}. */
    public Builder memberId(String... values) {
      this.memberId = List.of(values);
      return this;
    }

    /** Set {@code client_id}. */
    public Builder clientId(String... values) {
      this.clientId = List.of(values);
      return this;
    }

    /** Set {@code principal}. */
    public Builder principal(String... values) {
      this.principal = List.of(values);
      return this;
    }

    /** Set {@code listener}. */
    public Builder listener(String... values) {
      this.listener = List.of(values);
      return this;
    }

    /** Set {@code broker}. */
    public Builder broker(Integer... values) {
      this.broker = List.of(values);
      return this;
    }

    /** Set {@code connection}. */
    public Builder connection(Long... values) {
      this.connection = List.of(values);
      return this;
    }

    /** Set {@code between_brokers}. */
    public Builder betweenBrokers(Boolean value) {
      this.betweenBrokers = value;
      return this;
    }

    /** Return the document. */
    public Match build() {
      return new Match(
          api,
          version,
          topic,
          partition,
          transactionalId,
          producerId,
          producerEpoch,
          baseSequence,
          group,
          memberId,
          clientId,
          principal,
          listener,
          broker,
          connection,
          betweenBrokers);
    }
  }
}

