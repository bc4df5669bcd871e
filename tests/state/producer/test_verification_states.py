"""The verifications of a partition: begun, joined, ended, expired."""

import pytest

from mockbroker.state.producer.verification_state_entry import VerificationGuard
from mockbroker.state.producer.verification_states import VerificationStates


def start(
    states: VerificationStates, producer_id: int, base_sequence: int = 5, *, now_ms: int = 0
) -> VerificationGuard:
    return states.start(producer_id, base_sequence, 2, supports_epoch_bump=True, now_ms=now_ms)


def test_batches_of_one_producer_share_its_verification() -> None:
    states = VerificationStates()
    guard = start(states, 7)
    assert start(states, 7, 3) is guard
    assert start(states, 8) is not guard
    assert len(states) == 2
    assert states.by_producer_id[7].lowest_sequence == 3


def test_data_ends_a_verification() -> None:
    states = VerificationStates()
    guard = start(states, 7)
    states.end_by_data(7)
    states.end_by_data(8)
    assert len(states) == 0
    assert start(states, 7) is not guard


@pytest.mark.parametrize(("producer_epoch", "left"), [(1, 0), (2, 1), (3, 0)])
def test_a_marker_ends_all_but_the_verification_of_the_next_transaction(
    producer_epoch: int, left: int
) -> None:
    states = VerificationStates()
    start(states, 7)
    states.end_by_marker(8, producer_epoch)
    states.end_by_marker(7, producer_epoch)
    assert len(states) == left


@pytest.mark.parametrize(
    ("at_most", "left"), [(None, [3]), (0, [1, 2, 3]), (1, [2, 3]), (2, [3]), (9, [3])]
)
def test_old_verifications_are_removed_oldest_first(at_most: int | None, left: list[int]) -> None:
    states = VerificationStates()
    for producer_id, now_ms in ((1, 10), (2, 20), (3, 30)):
        start(states, producer_id, now_ms=now_ms)
    states.remove_older(20, at_most)
    assert list(states.by_producer_id) == left
    states.remove_older(100)
    assert len(states) == 0


def test_all_verifications_are_shown_and_cleared() -> None:
    states = VerificationStates()
    start(states, 7)
    assert states.as_text() == [f"producer 7: {states.by_producer_id[7]!r}"]
    states.clear()
    assert states.as_text() == []
