// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;

/** Switch of the journal. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record JournalDocument(
    @JsonProperty("on") boolean on,
    @JsonProperty("entries_max") Long entriesMax,
    @JsonProperty("identity") String identity) {
}

