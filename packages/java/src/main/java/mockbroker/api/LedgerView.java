// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** The ledger: a row for each batch that clients sent. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record LedgerView(
    @JsonProperty("is_on") boolean isOn,
    @JsonProperty("is_full") boolean isFull,
    @JsonProperty("rows") long rows,
    @JsonProperty("rows_max") long rowsMax) {
}

