"""A held end of a transaction: single steps, release, and a new coordinator."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.transaction.transaction_state import TransactionState
from tests.state.transaction.coordinator_building import ID, A, B, Coordinated

S = TransactionState


def held(*, is_commit: bool = True) -> Coordinated:
    it = Coordinated(transaction_version=1)
    producer = it.init()
    it.add(producer, A, B)
    it.host.held_endings.hold(ID)
    it.end(producer, is_commit=is_commit)
    it.host.run_pending()
    return it


def state_of(it: Coordinated) -> TransactionState:
    return it.coordinator.describe_transaction(ID).state


def written(it: Coordinated) -> list[object]:
    return [marker.partition for marker in it.host.markers]


@pytest.mark.parametrize("is_commit", [True, False])
def test_a_held_end_stays_decided(is_commit: bool) -> None:
    it = held(is_commit=is_commit)
    assert state_of(it) is (S.PREPARE_COMMIT if is_commit else S.PREPARE_ABORT)
    assert written(it) == []
    assert len(it.coordinator.markers) == 1


def test_steps_write_each_marker_and_then_complete() -> None:
    it = held()
    steps = [it.coordinator.markers.step(ID, 0) for _ in range(4)]
    assert steps == [
        f"WriteTxnMarkers {ID} {A}",
        f"WriteTxnMarkers {ID} {B}",
        f"CompleteTransaction {ID}",
        None,
    ]
    assert written(it) == [A, B]
    assert state_of(it) is S.COMPLETE_COMMIT


def test_a_release_runs_all_held_work() -> None:
    it = held()
    it.coordinator.markers.step(ID, 0)
    it.host.held_endings.release(ID)
    it.coordinator.markers.resume(ID)
    it.coordinator.markers.resume("nobody")
    assert it.host.run_pending() == [f"WriteTxnMarkers {ID}", f"CompleteTransaction {ID}"]
    assert written(it) == [A, B]
    assert state_of(it) is S.COMPLETE_COMMIT


def test_only_the_marker_of_one_partition_can_be_held() -> None:
    it = Coordinated(transaction_version=1)
    producer = it.init()
    it.add(producer, A, B)
    it.host.held_endings.hold(ID, A)
    it.commit(producer)
    it.host.run_pending()
    assert written(it) == [B]
    assert state_of(it) is S.PREPARE_COMMIT
    it.host.held_endings.release(ID)
    it.coordinator.markers.resume(ID)
    it.host.run_pending()
    assert written(it) == [B, A]
    assert state_of(it) is S.COMPLETE_COMMIT


def test_the_completion_can_be_held_after_all_markers() -> None:
    it = held()
    it.coordinator.markers.step(ID, 0)
    it.coordinator.markers.step(ID, 0)
    it.host.run_pending()
    assert state_of(it) is S.PREPARE_COMMIT
    it.elect(coordinator_epoch=1)
    it.host.run_pending()
    assert written(it) == [A, B]
    it.host.held_endings.release(ID)
    it.coordinator.markers.resume(ID)
    it.host.run_pending()
    assert written(it) == [A, B, A, B]  # the new coordinator cannot know that they were written
    assert state_of(it) is S.COMPLETE_COMMIT


def test_a_refused_step_can_be_retried() -> None:
    it = held()
    it.host.marker_refusals[A] = [ErrorCode.NOT_LEADER_OR_FOLLOWER]
    assert it.coordinator.markers.step(ID, 0) == f"WriteTxnMarkers {ID} {A}"
    assert written(it) == []
    assert it.coordinator.markers.step(ID, 0) == f"WriteTxnMarkers {ID} {A}"
    assert written(it) == [A]


def test_a_fenced_step_ends_the_writing() -> None:
    it = held()
    it.host.marker_refusals[A] = [ErrorCode.INVALID_PRODUCER_EPOCH]
    it.coordinator.markers.step(ID, 0)
    assert it.coordinator.markers.step(ID, 0) is None


def test_the_completion_can_be_held_when_it_is_already_queued() -> None:
    it = Coordinated(transaction_version=1)
    it.add(it.init(), A)
    it.commit((0, 0))
    assert it.host.step() == f"WriteTxnMarkers {ID}"
    it.host.held_endings.hold(ID)
    assert it.host.run_pending() == [f"CompleteTransaction {ID}"]
    assert state_of(it) is S.PREPARE_COMMIT
    it.host.held_endings.release(ID)
    it.coordinator.markers.resume(ID)
    it.host.run_pending()
    assert state_of(it) is S.COMPLETE_COMMIT
