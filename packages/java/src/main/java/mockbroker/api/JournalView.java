// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;

/** Entries of the journal, in order. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record JournalView(
    @JsonProperty("is_on") boolean isOn,
    @JsonProperty("dropped") long dropped,
    @JsonProperty("entries") List<EntryView> entries) {
}

