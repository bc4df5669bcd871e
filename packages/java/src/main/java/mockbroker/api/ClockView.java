// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The clock of the state; the network always uses real time. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ClockView(
    @JsonProperty("now_ms") long nowMs,
    @JsonInclude(JsonInclude.Include.ALWAYS) @JsonProperty("now") String now,
    @JsonProperty("mode") ModeEnum mode,
    @JsonProperty("ahead_ms") long aheadMs) {

  /** Values of {@code mode}. */
  public enum ModeEnum {
    @JsonProperty("manual") MANUAL,
    @JsonProperty("offset") OFFSET,
    @JsonProperty("real") REAL
  }
}

