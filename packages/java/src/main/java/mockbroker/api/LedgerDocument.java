// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Switch of the ledger. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record LedgerDocument(
    @JsonProperty("on") boolean on,
    @JsonProperty("rows_max") Long rowsMax) {
}

