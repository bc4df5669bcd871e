// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;

/** Choice of the matching calls on which a fault fires. */
@JsonTypeInfo(use = JsonTypeInfo.Id.DEDUCTION)
@JsonSubTypes({
    @JsonSubTypes.Type(EveryTime.class),
    @JsonSubTypes.Type(OnCall.class),
    @JsonSubTypes.Type(Once.class),
    @JsonSubTypes.Type(Times.class),
    @JsonSubTypes.Type(WithProbability.class)
})
public sealed interface Trigger
    permits EveryTime,
        OnCall,
        Once,
        Times,
        WithProbability {}

