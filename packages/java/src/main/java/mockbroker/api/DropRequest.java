// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Lose the request: nothing is applied, and there is no response. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record DropRequest(
    @JsonProperty("drop_request") String dropRequest,
    @JsonProperty("how") HowEnum how) implements Effect {

  /** Values of {@code how}. */
  public enum HowEnum {
    @JsonProperty("disconnect") DISCONNECT,
    @JsonProperty("silence") SILENCE
  }
}

