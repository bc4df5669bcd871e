// Made from the OpenAPI document by `python -m tools.java_types`.
package mockbroker.api;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;

/** The effect on a call: exactly one of these, with its own fields. */
@JsonTypeInfo(use = JsonTypeInfo.Id.DEDUCTION)
@JsonSubTypes({
    @JsonSubTypes.Type(Answer.class),
    @JsonSubTypes.Type(ApplyThenAnswer.class),
    @JsonSubTypes.Type(Bandwidth.class),
    @JsonSubTypes.Type(Corrupt.class),
    @JsonSubTypes.Type(Delay.class),
    @JsonSubTypes.Type(DropRequest.class),
    @JsonSubTypes.Type(Duplicate.class),
    @JsonSubTypes.Type(Hold.class),
    @JsonSubTypes.Type(HoldResponse.class),
    @JsonSubTypes.Type(Latency.class),
    @JsonSubTypes.Type(LimitData.class),
    @JsonSubTypes.Type(LoseResponse.class),
    @JsonSubTypes.Type(Observe.class),
    @JsonSubTypes.Type(ResetPeer.class),
    @JsonSubTypes.Type(Slicer.class),
    @JsonSubTypes.Type(SlowClose.class),
    @JsonSubTypes.Type(Throttle.class),
    @JsonSubTypes.Type(Timeout.class)
})
public sealed interface Effect
    permits Answer,
        ApplyThenAnswer,
        Bandwidth,
        Corrupt,
        Delay,
        DropRequest,
        Duplicate,
        Hold,
        HoldResponse,
        Latency,
        LimitData,
        LoseResponse,
        Observe,
        ResetPeer,
        Slicer,
        SlowClose,
        Throttle,
        Timeout {}

