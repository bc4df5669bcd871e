"""Markers as pending work: delays, failures, retries, and fencing."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.coordinator.holds import MarkerDelay
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.transaction.transaction_marker_channel import (
    RETRIES_IN_A_ROW,
    RETRY_BACKOFF_MS,
)
from mockbroker.state.transaction.transaction_state import TransactionState
from tests.state.transaction.coordinator_building import ID, A, B, Coordinated, WrittenMarker

S = TransactionState
C = TopicPartition("c", 2)
WRITE, COMPLETE = f"WriteTxnMarkers {ID}", f"CompleteTransaction {ID}"


def prepared(*partitions: TopicPartition, version: int = 0, is_commit: bool = True) -> Coordinated:
    """Return a coordinator with a transaction whose markers are to be written."""
    it = Coordinated(transaction_version=2 if version else 1)
    producer = it.init()
    it.add(producer, *(partitions or (A,)), version=version)
    it.end(producer, is_commit=is_commit, version=version)
    return it


def state_of(it: Coordinated) -> TransactionState:
    return it.coordinator.describe_transaction(ID).state


@pytest.mark.parametrize("is_commit", [True, False])
def test_the_end_of_a_transaction_is_two_pieces_of_work(is_commit: bool) -> None:
    it = prepared(A, B, is_commit=is_commit)
    assert it.host.markers == []
    assert it.host.step() == WRITE
    marker = EndTxnMarker(0, 0, 0, is_commit)
    assert it.host.markers == [WrittenMarker(A, marker, 0), WrittenMarker(B, marker, 0)]
    assert state_of(it) is (S.PREPARE_COMMIT if is_commit else S.PREPARE_ABORT)
    assert it.host.step() == COMPLETE
    assert state_of(it) is (S.COMPLETE_COMMIT if is_commit else S.COMPLETE_ABORT)
    assert not it.host.pending
    assert len(it.coordinator.markers) == 0


def test_a_marker_has_the_bumped_epoch_since_kip_890() -> None:
    it = prepared(version=2)
    it.host.run_pending()
    assert it.host.markers == [WrittenMarker(A, EndTxnMarker(0, 1, 0, is_commit=True), 2)]


def test_a_marker_has_the_epoch_of_the_coordinator() -> None:
    it = Coordinated()
    it.elect(coordinator_epoch=4)
    producer = it.init()
    it.add(producer)
    it.commit(producer)
    it.host.run_pending()
    assert [written.marker.coordinator_epoch for written in it.host.markers] == [4]


def test_partitions_leave_the_transaction_when_their_marker_is_written() -> None:
    it = prepared(A, B)
    it.host.marker_refusals[B] = [ErrorCode.NOT_LEADER_OR_FOLLOWER]
    it.host.step()
    assert it.coordinator.describe_transaction(ID).partitions == {B}


@pytest.mark.parametrize("step", [0, 1])
def test_a_transactional_id_is_busy_until_both_are_done(step: int) -> None:
    it = prepared()
    for _ in range(step):
        it.host.step()
    before = it.as_text()
    for ask in (it.init, lambda: it.add((0, 0)), lambda: it.commit((0, 0))):
        with pytest.raises(ApiError) as refusal:
            ask()
        assert refusal.value.code is ErrorCode.CONCURRENT_TRANSACTIONS
    assert it.as_text() == before
    it.host.run_pending()
    assert it.init() == (0, 1)


RETRIED = [
    ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ErrorCode.NOT_LEADER_OR_FOLLOWER,
    ErrorCode.NOT_ENOUGH_REPLICAS,
    ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
    ErrorCode.REQUEST_TIMED_OUT,
    ErrorCode.KAFKA_STORAGE_ERROR,
]


@pytest.mark.parametrize("code", RETRIED)
def test_a_failed_marker_is_retried(code: ErrorCode) -> None:
    it = prepared(A, B)
    it.host.marker_refusals[A] = [code, code]
    assert it.host.run_pending() == [WRITE]
    assert it.host.timers.advance_to(RETRY_BACKOFF_MS - 1) == []
    assert it.host.timers.advance_to(RETRY_BACKOFF_MS) == [WRITE]
    assert not it.host.pending
    assert it.host.timers.advance_to(2 * RETRY_BACKOFF_MS) == [WRITE]
    assert it.host.run_pending() == [COMPLETE]
    assert [written.partition for written in it.host.markers] == [B, A]
    assert state_of(it) is S.COMPLETE_COMMIT


@pytest.mark.parametrize(
    "code", [ErrorCode.INVALID_PRODUCER_EPOCH, ErrorCode.TRANSACTION_COORDINATOR_FENCED]
)
def test_a_fenced_marker_ends_the_writing(code: ErrorCode) -> None:
    it = prepared(A, B, C)
    it.host.marker_refusals = {A: [ErrorCode.NOT_LEADER_OR_FOLLOWER], B: [code]}
    assert it.host.run_pending() == [WRITE]
    assert len(it.coordinator.markers) == 0
    assert it.host.timers.next_deadline_ms() is None
    assert state_of(it) is S.PREPARE_COMMIT


@pytest.mark.parametrize(
    "code", [ErrorCode.UNSUPPORTED_FOR_MESSAGE_FORMAT, ErrorCode.UNSUPPORTED_VERSION]
)
def test_a_partition_without_transaction_support_needs_no_marker(code: ErrorCode) -> None:
    it = prepared(A, B)
    it.host.marker_refusals[A] = [code]
    assert it.host.run_pending() == [WRITE, COMPLETE]
    assert [written.partition for written in it.host.markers] == [B]


def test_a_deleted_partition_needs_no_marker() -> None:
    it = prepared(A, B)
    it.host.missing = {A, B}
    assert it.host.run_pending() == [WRITE, COMPLETE]
    assert it.host.markers == []
    assert state_of(it) is S.COMPLETE_COMMIT


def test_an_unexpected_error_of_a_marker_is_raised() -> None:
    it = prepared()
    it.host.marker_refusals[A] = [ErrorCode.CORRUPT_MESSAGE]
    with pytest.raises(ApiError, match="CORRUPT_MESSAGE"):
        it.host.run_pending()
    assert state_of(it) is S.PREPARE_COMMIT


def test_the_completion_is_retried_until_it_is_logged() -> None:
    it = prepared()
    it.host.step()
    it.log.refusals += [
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        ErrorCode.KAFKA_STORAGE_ERROR,
    ]
    assert it.host.run_pending() == [COMPLETE]
    assert it.coordinator.describe_transaction(ID).pending_state is S.COMPLETE_COMMIT
    assert it.host.timers.advance_to(1_000) == [COMPLETE, COMPLETE, COMPLETE]
    assert state_of(it) is S.COMPLETE_COMMIT


def test_a_coordinator_that_resigned_abandons_the_completion() -> None:
    it = prepared()
    it.host.step()
    it.log.refusals.append(ErrorCode.NOT_LEADER_OR_FOLLOWER)
    assert it.host.run_pending() == [COMPLETE]
    assert state_of(it) is S.PREPARE_COMMIT
    assert len(it.coordinator.markers) == 0


def test_an_unexpected_error_of_the_completion_is_raised() -> None:
    it = prepared()
    it.host.step()
    it.log.refusals.append(ErrorCode.MESSAGE_TOO_LARGE)
    with pytest.raises(ApiError, match="UNKNOWN_SERVER_ERROR"):
        it.host.run_pending()


@pytest.mark.parametrize("steps", [0, 1])
def test_nothing_is_written_for_a_partition_that_was_given_up(steps: int) -> None:
    it = prepared()
    for _ in range(steps):
        it.host.step()
    written = len(it.host.markers)
    logged = len(it.log.values)
    it.coordinator.on_resignation(it.coordinator.states.partition_for(ID), 1)
    assert it.host.run_pending() == [WRITE, COMPLETE][steps:][:1]
    assert (len(it.host.markers), len(it.log.values)) == (written, logged)


def test_a_resignation_from_before_the_election_stops_nothing() -> None:
    it = prepared()
    it.coordinator.on_election(it.coordinator.states.partition_for(ID), 3)
    it.host.step()
    it.host.step()
    it.coordinator.on_resignation(it.coordinator.states.partition_for(ID), 2)
    it.host.run_pending()
    assert state_of(it) is S.COMPLETE_COMMIT


@pytest.mark.parametrize("is_written", [False, True])
def test_a_retry_is_cancelled_with_its_partition(is_written: bool) -> None:
    it = prepared()
    if is_written:
        it.log.refusals.append(ErrorCode.NOT_ENOUGH_REPLICAS)
    else:
        it.host.marker_refusals[A] = [ErrorCode.NOT_LEADER_OR_FOLLOWER]
    assert it.host.run_pending() == [WRITE, COMPLETE][: 1 + is_written]
    assert it.host.timers.next_deadline_ms() == RETRY_BACKOFF_MS
    it.coordinator.on_resignation(it.coordinator.states.partition_for(ID), 1)
    assert it.host.timers.advance_to(10_000) == []


def test_markers_of_other_partitions_of_the_log_stay() -> None:
    it = prepared()
    other = (it.coordinator.states.partition_for(ID) + 1) % 50
    it.coordinator.on_resignation(other, 1)
    it.host.run_pending()
    assert state_of(it) is S.COMPLETE_COMMIT


@pytest.mark.parametrize("steps", [0, 1])
def test_another_coordinator_continues_the_markers(steps: int) -> None:
    it = prepared(A, B, version=2)
    for _ in range(steps):
        it.host.step()
    other = it.moved()
    assert [written.marker.coordinator_epoch for written in it.host.markers[-2:]] == [1, 1]
    metadata = other.coordinator.describe_transaction(ID)
    assert (metadata.state, metadata.producer_epoch) == (S.COMPLETE_COMMIT, 1)


def test_the_text_shows_queued_markers() -> None:
    it = prepared()
    (line,) = it.coordinator.markers.as_text()
    assert line.startswith("to write EndTxnMarker(producer_id=0")
    assert line.endswith("for 'orders-1'")


def test_after_a_hundred_failed_retries_each_one_doubles_the_delay_up_to_seven_minutes() -> None:
    it = prepared(A)
    it.host.marker_refusals[A] = [ErrorCode.NOT_LEADER_OR_FOLLOWER] * 200
    it.host.run_pending()
    delays_ms: list[int] = []
    now_ms = 0
    while len(delays_ms) < RETRIES_IN_A_ROW + 15:
        deadline_ms = it.host.timers.next_deadline_ms()
        assert deadline_ms is not None
        assert it.host.timers.advance_to(deadline_ms) == [WRITE]
        delays_ms.append(deadline_ms - now_ms)
        now_ms = deadline_ms
    assert RETRIES_IN_A_ROW == 100
    assert delays_ms[:101] == [100] * 101
    assert delays_ms[101:] == [100 << n for n in range(1, 13)] + [409_600] * 2


def test_failing_retries_become_rarer_until_leaders_change() -> None:
    it = prepared(A)
    it.host.marker_refusals[A] = [ErrorCode.NOT_LEADER_OR_FOLLOWER] * 2_000
    it.host.run_pending()
    week_ms = 7 * 24 * 3_600_000
    tries = it.host.timers.advance_to(week_ms)
    assert tries[:RETRIES_IN_A_ROW] == [WRITE] * RETRIES_IN_A_ROW
    assert RETRIES_IN_A_ROW < len(tries) < 2_000
    it.host.marker_refusals[A].clear()
    it.coordinator.markers.leaders_changed()
    assert it.host.run_pending() == [WRITE, COMPLETE]
    assert not it.host.timers.advance_to(week_ms + RETRY_BACKOFF_MS)
    assert state_of(it) is S.COMPLETE_COMMIT


def test_a_completion_is_retried_at_once_when_leaders_change() -> None:
    it = prepared(A)
    it.log.refusals.append(ErrorCode.NOT_ENOUGH_REPLICAS)
    it.host.run_pending()
    it.coordinator.markers.leaders_changed()
    assert it.host.run_pending() == [COMPLETE]
    assert state_of(it) is S.COMPLETE_COMMIT


def test_retries_count_anew_after_a_partition_was_given_up() -> None:
    it = prepared(A)
    it.host.marker_refusals[A] = [ErrorCode.NOT_LEADER_OR_FOLLOWER] * 2_000
    it.host.run_pending()
    now_ms = 3_600_000
    it.host.timers.advance_to(now_ms)
    index = it.coordinator.states.partition_for(ID)
    it.coordinator.on_resignation(index, 1)
    it.coordinator.on_election(index, 2)
    it.host.run_pending(now_ms)
    assert it.host.timers.next_deadline_ms() == now_ms + RETRY_BACKOFF_MS


def test_retries_count_anew_after_a_completion() -> None:
    it = prepared(A)
    it.host.step()
    it.log.refusals += [ErrorCode.NOT_ENOUGH_REPLICAS] * (RETRIES_IN_A_ROW + 5)
    it.host.run_pending()
    now_ms = 3_600_000
    it.host.timers.advance_to(now_ms)
    assert state_of(it) is S.COMPLETE_COMMIT
    it.add((0, 0), A, now_ms=now_ms)
    it.host.marker_refusals[A] = [ErrorCode.NOT_LEADER_OR_FOLLOWER]
    it.commit((0, 0), now_ms=now_ms)
    it.host.run_pending(now_ms)
    assert it.host.timers.next_deadline_ms() == now_ms + RETRY_BACKOFF_MS


def test_an_election_drops_the_markers_of_the_previous_one() -> None:
    it = prepared()
    it.coordinator.on_election(it.coordinator.states.partition_for(ID), 1)
    assert len(it.coordinator.markers) == 0
    assert it.host.step() == WRITE
    assert it.host.markers == []


def test_a_partition_may_move_while_the_completion_is_logged() -> None:
    it = prepared()
    it.host.step()
    index = it.coordinator.states.partition_for(ID)
    it.log.after_append = lambda: it.coordinator.on_resignation(index, 1)
    assert it.host.step() == COMPLETE
    assert len(it.coordinator.markers) == 0
    assert it.host.timers.next_deadline_ms() is None


def test_delayed_markers_are_written_when_their_time_has_come() -> None:
    it = Coordinated(transaction_version=1)
    it.host.held_endings.delay = MarkerDelay(20)
    producer = it.init()
    it.add(producer, A)
    it.end(producer, is_commit=True, now_ms=5)
    assert it.host.run_pending() == []
    with pytest.raises(ApiError) as refusal:
        it.add(producer, A, now_ms=24)
    assert refusal.value.code is ErrorCode.CONCURRENT_TRANSACTIONS
    assert it.host.timers.advance_to(24) == []
    assert it.host.markers == []
    assert it.host.timers.advance_to(25) == [WRITE]
    assert it.host.run_pending() == [COMPLETE]
    assert state_of(it) is S.COMPLETE_COMMIT
    it.add(producer, A, now_ms=25)


def test_a_hold_lasts_longer_than_a_delay() -> None:
    it = Coordinated(transaction_version=1)
    it.host.held_endings.delay = MarkerDelay(20)
    it.host.held_endings.hold(ID)
    producer = it.init()
    it.add(producer, A)
    it.end(producer, is_commit=True)
    it.host.timers.advance_to(20)
    assert it.host.run_pending() == []
    it.host.held_endings.release(ID)
    it.coordinator.markers.resume(ID)
    assert it.host.run_pending() == [WRITE, COMPLETE]


def test_a_released_transaction_does_not_wait_for_its_delay() -> None:
    it = Coordinated(transaction_version=1)
    it.host.held_endings.delay = MarkerDelay(20)
    producer = it.init()
    it.add(producer, A)
    it.end(producer, is_commit=True)
    it.coordinator.markers.resume(ID)
    assert it.host.run_pending() == [WRITE, COMPLETE]
    it.host.timers.advance_to(20)
    assert it.host.run_pending() == []
    assert len(it.host.markers) == 1
