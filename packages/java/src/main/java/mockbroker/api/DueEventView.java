// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Map;

/** A timeout, an expiry, or a deletion by retention. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record DueEventView(
    @JsonProperty("at_ms") long atMs,
    @JsonProperty("kind") KindEnum kind,
    @JsonProperty("facts") Map<String, String> facts) {

  /** Values of {@code kind}. */
  public enum KindEnum {
    @JsonProperty("group_removed") GROUP_REMOVED,
    @JsonProperty("member_expelled") MEMBER_EXPELLED,
    @JsonProperty("producer_id_expired") PRODUCER_ID_EXPIRED,
    @JsonProperty("records_deleted") RECORDS_DELETED,
    @JsonProperty("transaction_timed_out") TRANSACTION_TIMED_OUT,
    @JsonProperty("transactional_id_expired") TRANSACTIONAL_ID_EXPIRED
  }
}

