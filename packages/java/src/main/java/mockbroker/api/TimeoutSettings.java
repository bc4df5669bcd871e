// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Settings of `timeout`. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TimeoutSettings(
    @JsonProperty("timeout") String timeout,
    @JsonProperty("stream") StreamEnum stream,
    @JsonProperty("toxicity") Double toxicity) {

  /** Values of {@code stream}. */
  public enum StreamEnum {
    @JsonProperty("downstream") DOWNSTREAM,
    @JsonProperty("upstream") UPSTREAM
  }
}

