// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;

/** The event that ends a hold, after the start of the hold: exactly one of these. */
@JsonTypeInfo(use = JsonTypeInfo.Id.DEDUCTION)
@JsonSubTypes({
    @JsonSubTypes.Type(EpochBump.class),
    @JsonSubTypes.Type(FaultHits.class),
    @JsonSubTypes.Type(LogEndOffset.class),
    @JsonSubTypes.Type(Marker.class),
    @JsonSubTypes.Type(Records.class),
    @JsonSubTypes.Type(TransactionIsIn.class)
})
public sealed interface Event
    permits EpochBump,
        FaultHits,
        LogEndOffset,
        Marker,
        Records,
        TransactionIsIn {}

