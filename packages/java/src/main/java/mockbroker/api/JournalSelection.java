// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/** Filter for entries: an entry must match all fields that are set. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record JournalSelection(
    @JsonProperty("kind") List<String> kind,
    @JsonProperty("api") List<String> api,
    @JsonProperty("version") List<Integer> version,
    @JsonProperty("broker") List<Integer> broker,
    @JsonProperty("connection") List<Long> connection,
    @JsonProperty("client_id") List<String> clientId,
    @JsonProperty("principal") List<String> principal,
    @JsonProperty("group") List<String> group,
    @JsonProperty("transactional_id") List<String> transactionalId,
    @JsonProperty("topic") List<String> topic,
    @JsonProperty("partition") List<Integer> partition,
    @JsonProperty("producer_id") List<Long> producerId,
    @JsonProperty("producer_epoch") List<Integer> producerEpoch,
    @JsonProperty("base_sequence") List<Integer> baseSequence,
    @JsonProperty("error") List<String> error,
    @JsonProperty("rule") List<String> rule,
    @JsonProperty("call") List<Long> call) {

  /** Return a builder with no field set. */
  public static Builder builder() {
    return new Builder();
  }

  /** Builder of a {@link JournalSelection}; a field that is not set keeps its default. */
  public static final class Builder {
    private List<String> kind;
    private List<String> api;
    private List<Integer> version;
    private List<Integer> broker;
    private List<Long> connection;
    private List<String> clientId;
    private List<String> principal;
    private List<String> group;
    private List<String> transactionalId;
    private List<String> topic;
    private List<Integer> partition;
    private List<Long> producerId;
    private List<Integer> producerEpoch;
    private List<Integer> baseSequence;
    private List<String> error;
    private List<String> rule;
    private List<Long> call;

    private Builder() {}

    /** Set {@code kind}. */
    public Builder kind(String... values) {
      this.kind = List.of(values);
      return this;
    }

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

    /** Set {@code group}. */
    public Builder group(String... values) {
      this.group = List.of(values);
      return this;
    }

    /** Set {@code transactional_id}. */
    public Builder transactionalId(String... values) {
      this.transactionalId = List.of(values);
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

    /** Set {@code error}. */
    public Builder error(String... values) {
      this.error = List.of(values);
      return this;
    }

    /** Set {@code rule}. */
    public Builder rule(String... values) {
      this.rule = List.of(values);
      return this;
    }

    /** Set {@code call}. */
    public Builder call(Long... values) {
      this.call = List.of(values);
      return this;
    }

    /** Return the document. */
    public JournalSelection build() {
      return new JournalSelection(
          kind,
          api,
          version,
          broker,
          connection,
          clientId,
          principal,
          group,
          transactionalId,
          topic,
          partition,
          producerId,
          producerEpoch,
          baseSequence,
          error,
          rule,
          call);
    }
  }
}

