// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Apply the request, and lose the response. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record LoseResponse(
    @JsonProperty("lose_response") String loseResponse,
    @JsonProperty("how") HowEnum how) implements Effect {

  /** Values of {@code how}. */
  public enum HowEnum {
    @JsonProperty("disconnect") DISCONNECT,
    @JsonProperty("silence") SILENCE
  }
}

