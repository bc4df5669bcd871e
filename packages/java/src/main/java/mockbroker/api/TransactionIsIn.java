// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** A state of a transactional id, named as in Kafka, such as `CompleteAbort`. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TransactionIsIn(
    @JsonProperty("transaction_state") TransactionIsInSettings transactionState) implements Event {
}

