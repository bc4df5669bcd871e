"""Every pair of states, and what each acknowledgement leads to."""

from itertools import product

import pytest

from mockbroker.state.share.in_flight_state import InFlightState
from mockbroker.state.share.record_state import (
    STATE_OF_ACKNOWLEDGEMENT,
    VALID_NEXT_STATES,
    AcknowledgeType,
    RecordState,
)

_ALLOWED = {
    "AVAILABLE": "ACQUIRED",
    "ACQUIRED": "AVAILABLE ACKNOWLEDGED ARCHIVING ARCHIVED",
    "ARCHIVING": "AVAILABLE ACQUIRED ACKNOWLEDGED ARCHIVED",
}
"""As Kafka's `RecordState.validateTransition` decides."""


@pytest.mark.parametrize(("before", "after"), list(product(RecordState, RecordState)))
def test_a_transition_changes_the_state_or_nothing(before: RecordState, after: RecordState) -> None:
    state = InFlightState(before, 1, "m")
    is_allowed = after.name in _ALLOWED.get(before.name, "").split()
    assert (after in VALID_NEXT_STATES[before]) is is_allowed
    assert state.release(after, delivery_count_max=5) is is_allowed
    assert state.state is (after if is_allowed else before)
    assert state.member_id == ("" if is_allowed else "m")


def test_the_states_without_a_next_one_are_terminal() -> None:
    assert [state for state in RecordState if state.is_terminal] == [
        state for state in RecordState if not VALID_NEXT_STATES[state]
    ]


def test_every_acknowledgement_but_a_renewal_ends_the_acquisition() -> None:
    assert set(AcknowledgeType) - set(STATE_OF_ACKNOWLEDGEMENT) == {AcknowledgeType.RENEW}
    assert set(STATE_OF_ACKNOWLEDGEMENT.values()) <= VALID_NEXT_STATES[RecordState.ACQUIRED]
