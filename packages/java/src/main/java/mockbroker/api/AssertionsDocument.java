// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/** Assertions to check; all are checked. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record AssertionsDocument(
    @JsonProperty("assertions") List<AssertionDocument> assertions) {
}

