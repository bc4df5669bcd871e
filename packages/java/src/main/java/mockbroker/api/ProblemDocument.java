// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/** A problem: `code` is for programs, `detail` for people. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ProblemDocument(
    @JsonProperty("type") String type,
    @JsonProperty("title") String title,
    @JsonProperty("status") int status,
    @JsonProperty("detail") String detail,
    @JsonProperty("code") String code,
    @JsonProperty("path") String path,
    @JsonProperty("near") List<String> near,
    @JsonProperty("kafka_error") String kafkaError,
    @JsonProperty("command") String command) {
}

