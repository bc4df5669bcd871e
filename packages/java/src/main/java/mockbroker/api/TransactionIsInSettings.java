// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Settings of `transaction_state`. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TransactionIsInSettings(
    @JsonProperty("transactional_id") String transactionalId,
    @JsonProperty("state") String state) {
}

