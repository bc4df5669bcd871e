"""Transitions that are kept or reverted, and delivery counts."""

import pytest

from mockbroker.state.share.in_flight_state import AcquisitionLock, InFlightState
from mockbroker.state.share.record_state import RecordState


def acquired(delivery_count: int = 1) -> InFlightState:
    return InFlightState(RecordState.ACQUIRED, delivery_count, "m", AcquisitionLock(0, 9, 30_000))


def test_an_acquisition_counts_a_delivery() -> None:
    state = InFlightState(RecordState.AVAILABLE, 1)
    assert state.is_acquirable
    assert state.acquire("m")
    assert state.as_text() == "ACQUIRED 2 by m"
    assert not state.acquire("n"), "it is acquired"
    assert state.as_text() == "ACQUIRED 2 by m"


@pytest.mark.parametrize(("delivered", "after"), [(4, "AVAILABLE 4"), (5, "ARCHIVED 5")])
def test_records_are_archived_instead_of_released_after_their_last_delivery(
    delivered: int, after: str
) -> None:
    state = acquired(delivered)
    assert state.release(RecordState.AVAILABLE, delivery_count_max=5)
    state.clear_lock()
    assert state.as_text() == after


def test_a_transition_blocks_every_other_one() -> None:
    state = acquired()
    assert state.start_transition(RecordState.AVAILABLE, 5)
    assert not state.is_acquirable
    assert not state.acquire("n")
    assert not state.release(RecordState.ACQUIRED, 5)
    assert not state.start_transition(RecordState.ACQUIRED, 5)
    assert state.as_text() == "AVAILABLE 1 until 30000 in transition"


def test_a_kept_transition_cancels_the_lock() -> None:
    state = acquired()
    lock = state.lock
    assert lock is not None
    assert state.start_transition(RecordState.ACKNOWLEDGED, 5)
    state.complete_transition(keep=True)
    assert state.as_text() == "ACKNOWLEDGED 1"
    assert lock.is_cancelled


def test_a_reverted_transition_gives_the_records_back_to_their_member() -> None:
    state = acquired()
    assert state.start_transition(RecordState.ACKNOWLEDGED, 5)
    state.complete_transition(keep=False)
    assert state.as_text() == "ACQUIRED 1 by m until 30000"


@pytest.mark.parametrize(("delivered", "after"), [(4, "AVAILABLE 4"), (5, "ARCHIVED 5")])
def test_a_reverted_transition_whose_lock_expired_releases_the_records(
    delivered: int, after: str
) -> None:
    state = acquired(delivered)
    assert state.start_transition(RecordState.ACKNOWLEDGED, 5)
    assert state.lock is not None
    state.lock.has_expired = True
    state.complete_transition(keep=False)
    assert state.as_text() == after


def test_records_that_were_archived_during_a_transition_stay_archived() -> None:
    state = acquired()
    assert state.start_transition(RecordState.AVAILABLE, 5)
    state.archive()
    state.complete_transition(keep=False)
    assert state.as_text() == "ARCHIVED 1"


def test_one_offset_of_a_batch_begins_with_its_state() -> None:
    lock = AcquisitionLock(3, 3, 30_000)
    assert acquired(2).copy(lock).as_text() == "ACQUIRED 2 by m until 30000"
    assert acquired(2).copy(None).as_text() == "ACQUIRED 2 by m"


def test_the_state_after_the_last_delivery_may_be_another() -> None:
    state = acquired(5)
    assert state.start_transition(RecordState.AVAILABLE, 5, RecordState.ARCHIVING)
    state.complete_transition(keep=True)
    assert state.as_text() == "ARCHIVING 5"
    assert not state.is_acquirable, "it is on its way to the dead-letter queue"
    state.archive()
    assert state.as_text() == "ARCHIVED 5"
