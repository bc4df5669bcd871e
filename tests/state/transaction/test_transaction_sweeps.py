"""Timeouts and expiration of transactions and transactional ids."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.transaction.transaction_state import TransactionState
from mockbroker.state.transaction.transaction_sweeps import SLICE
from tests.state.transaction.coordinator_building import ID, TIMEOUT_MS, Coordinated

S = TransactionState
WEEK_MS = 7 * 24 * 60 * 60 * 1_000
ABORT_TIMER = "transaction-abort 1"
EXPIRY_TIMER = "transactionalId-expiration 1"


def state_of(it: Coordinated, transactional_id: str = ID) -> TransactionState:
    return it.coordinator.describe_transaction(transactional_id).state


def opened(**how: int) -> Coordinated:
    """Return a coordinator with a transaction that was begun at 100."""
    it = Coordinated(**how)  # type: ignore[arg-type]
    it.add(it.init(), now_ms=100, version=2 if it.host.options.transaction_version > 1 else 0)
    return it


# Timeouts


def test_a_transaction_is_aborted_when_it_is_older_than_its_timeout() -> None:
    it = opened()
    before = it.as_text()
    assert it.coordinator.abort_timed_out_transactions(100 + TIMEOUT_MS) == 0
    assert it.as_text() == before
    assert it.coordinator.abort_timed_out_transactions(101 + TIMEOUT_MS) == 1
    assert state_of(it) is S.PREPARE_ABORT
    it.host.run_pending()
    assert state_of(it) is S.COMPLETE_ABORT


@pytest.mark.parametrize("release", ["0.11", "2.4", "2.8", "3.9"])
def test_a_timeout_fences_the_old_epoch(release: str) -> None:
    it = Coordinated(release)
    it.add(it.init(), now_ms=100)
    it.coordinator.abort_timed_out_transactions(101 + TIMEOUT_MS)
    it.host.run_pending()
    assert it.coordinator.describe_transaction(ID).producer_epoch == 1
    for ask in (it.commit, it.abort, it.add):
        with pytest.raises(ApiError, match="PRODUCER_FENCED"):
            ask((0, 0))


def test_since_kip_890_an_abort_with_the_old_epoch_succeeds_after_a_timeout() -> None:
    it = opened()
    it.coordinator.abort_timed_out_transactions(101 + TIMEOUT_MS)
    it.host.run_pending()
    assert it.abort((0, 0), version=2) == (0, 1)
    with pytest.raises(ApiError, match="INVALID_TXN_STATE"):
        it.commit((0, 0), version=2)
    assert it.init((0, 0)) == (0, 1)


def test_a_transaction_that_ends_in_time_is_left_alone() -> None:
    it = opened()
    it.commit((0, 0), now_ms=200)
    it.host.run_pending(200)
    before = it.as_text()
    assert it.coordinator.abort_timed_out_transactions(10 * TIMEOUT_MS) == 0
    assert it.as_text() == before


def test_the_next_transaction_of_the_same_producer_has_its_own_timeout() -> None:
    it = opened()
    it.commit((0, 0), now_ms=200)
    it.host.run_pending(200)
    it.add((0, 0), now_ms=50_000)
    assert it.coordinator.abort_timed_out_transactions(101 + TIMEOUT_MS) == 0
    assert it.coordinator.abort_timed_out_transactions(50_000 + TIMEOUT_MS) == 0
    assert it.coordinator.abort_timed_out_transactions(50_001 + TIMEOUT_MS) == 1


def test_adding_partitions_does_not_extend_the_timeout() -> None:
    it = opened()
    it.add((0, 0), ("c", 7), now_ms=50_000)  # type: ignore[arg-type]
    assert it.coordinator.abort_timed_out_transactions(101 + TIMEOUT_MS) == 1


def test_a_shorter_timeout_applies_from_the_next_transaction() -> None:
    it = opened()
    it.commit((0, 0), now_ms=200)
    it.host.run_pending(200)
    it.add(it.init(timeout_ms=1_000), now_ms=300)
    assert it.coordinator.abort_timed_out_transactions(1_300) == 0
    assert it.coordinator.abort_timed_out_transactions(1_301) == 1


def test_an_abort_that_cannot_be_logged_is_retried_at_the_next_sweep() -> None:
    it = opened()
    it.log.refusals.append(ErrorCode.NOT_ENOUGH_REPLICAS)
    assert it.coordinator.abort_timed_out_transactions(101 + TIMEOUT_MS) == 1
    assert state_of(it) is S.ONGOING
    assert it.coordinator.abort_timed_out_transactions(101 + TIMEOUT_MS) == 1
    assert state_of(it) is S.PREPARE_ABORT


def test_a_transaction_that_ended_does_not_protect_the_next_from_its_timeout() -> None:
    it = Coordinated()
    for name in ("one", "two"):
        it.add(it.init(transactional_id=name), transactional_id=name)
    it.commit((0, 0), transactional_id="one")
    assert it.coordinator.abort_timed_out_transactions(1 + TIMEOUT_MS) == 1
    assert state_of(it, "two") is S.PREPARE_ABORT


def test_a_loaded_transaction_times_out() -> None:
    it = opened().moved()
    assert it.coordinator.abort_timed_out_transactions(101 + TIMEOUT_MS) == 1


def test_a_transaction_of_a_released_partition_does_not_time_out() -> None:
    it = opened()
    it.moved()
    before = it.as_text()
    assert it.coordinator.abort_timed_out_transactions(101 + TIMEOUT_MS) == 0
    assert it.as_text() == before


# Expiration


def test_an_idle_transactional_id_expires_and_leaves_a_tombstone() -> None:
    it = Coordinated()
    it.init(now_ms=100)
    before = it.as_text()
    assert it.coordinator.remove_expired_transactional_ids(99 + WEEK_MS) == 0
    assert it.as_text() == before
    assert it.coordinator.remove_expired_transactional_ids(100 + WEEK_MS) == 1
    assert it.log.last is None
    with pytest.raises(ApiError, match="TRANSACTIONAL_ID_NOT_FOUND"):
        state_of(it)
    with pytest.raises(ApiError, match="INVALID_PRODUCER_ID_MAPPING"):
        it.add((0, 0))
    assert it.init((0, 0)) == (1, 0)


@pytest.mark.parametrize("is_commit", [True, False])
def test_a_transactional_id_expires_from_its_last_update(is_commit: bool) -> None:
    it = opened()
    it.end((0, 0), is_commit=is_commit, now_ms=500)
    it.host.run_pending(600)
    assert it.coordinator.remove_expired_transactional_ids(499 + WEEK_MS) == 0
    assert it.coordinator.remove_expired_transactional_ids(500 + WEEK_MS) == 1


def test_an_open_transaction_does_not_expire() -> None:
    it = opened()
    before = it.as_text()
    assert it.coordinator.remove_expired_transactional_ids(10 * WEEK_MS) == 0
    assert it.as_text() == before
    it.commit((0, 0), now_ms=10 * WEEK_MS)
    it.host.run_pending(10 * WEEK_MS)
    assert it.coordinator.remove_expired_transactional_ids(11 * WEEK_MS) == 1


def test_a_transactional_id_that_never_got_an_epoch_expires() -> None:
    it = Coordinated()
    it.log.refusals.append(ErrorCode.NOT_ENOUGH_REPLICAS)
    with pytest.raises(ApiError):
        it.init()
    assert it.coordinator.remove_expired_transactional_ids(WEEK_MS) == 1


def test_a_tombstone_that_cannot_be_logged_is_retried_at_the_next_sweep() -> None:
    it = Coordinated()
    it.init()
    before = it.as_text()
    it.log.refusals.append(ErrorCode.NOT_ENOUGH_REPLICAS)
    assert it.coordinator.remove_expired_transactional_ids(WEEK_MS) == 1
    assert it.as_text() == before
    assert it.coordinator.remove_expired_transactional_ids(WEEK_MS) == 1
    assert len(it.coordinator.states) == 0


def test_a_partition_that_moves_during_the_tombstone_is_not_changed() -> None:
    it = Coordinated()
    it.init()
    index = it.coordinator.states.partition_for(ID)
    it.log.after_append = lambda: it.coordinator.on_resignation(index, 1)
    assert it.coordinator.remove_expired_transactional_ids(WEEK_MS) == 1
    assert it.log.last is None


def test_an_open_transaction_does_not_protect_other_ids_from_expiring() -> None:
    it = opened()
    it.init(transactional_id="two", now_ms=200)
    assert it.coordinator.remove_expired_transactional_ids(WEEK_MS + 200) == 1
    assert [each.metadata.transactional_id for each in it.coordinator.states] == [ID]


def test_a_released_partition_does_not_protect_ids_of_others_from_expiring() -> None:
    it = Coordinated()
    for now_ms, name in enumerate(("a", ID)):  # of partitions 47 and 49
        it.init(transactional_id=name, now_ms=now_ms)
    it.coordinator.on_resignation(it.coordinator.states.partition_for("a"), 1)
    assert it.coordinator.remove_expired_transactional_ids(WEEK_MS + 1) == 1
    assert len(it.coordinator.states) == 0


def test_an_id_of_a_released_partition_does_not_expire() -> None:
    it = Coordinated()
    it.init()
    other = it.moved()
    assert it.coordinator.remove_expired_transactional_ids(WEEK_MS) == 0
    assert other.coordinator.remove_expired_transactional_ids(WEEK_MS) == 1


def test_the_expiration_is_a_config() -> None:
    it = Coordinated(configs={"transactional.id.expiration.ms": "1000"})
    it.init()
    assert it.coordinator.remove_expired_transactional_ids(999) == 0
    assert it.coordinator.remove_expired_transactional_ids(1_000) == 1


def test_the_expiration_is_that_of_the_coordinators_broker() -> None:
    it = Coordinated()
    it.host.configs.set_broker_static(1, {"transactional.id.expiration.ms": "1000"})
    it.init()
    assert it.coordinator.remove_expired_transactional_ids(1_000) == 1


# Timers


def test_the_sweep_for_expired_ids_waits_for_the_first_one() -> None:
    it = Coordinated()
    it.coordinator.startup(0)
    it.init()
    assert it.host.timers.next_deadline_ms() == WEEK_MS


def test_timers_run_the_sweeps() -> None:
    it = opened()
    it.coordinator.startup(0)
    assert it.host.timers.advance_to(69_999) == []
    assert state_of(it) is S.ONGOING
    assert it.host.timers.advance_to(70_000) == [ABORT_TIMER]
    it.host.run_pending(70_000)
    assert state_of(it) is S.COMPLETE_ABORT
    assert it.host.timers.advance_to(70_000 + WEEK_MS) == [EXPIRY_TIMER]
    assert len(it.coordinator.states) == 1
    hour_ms = 60 * 60 * 1_000
    assert it.host.timers.advance_to(70_000 + WEEK_MS + hour_ms) == [EXPIRY_TIMER]
    assert len(it.coordinator.states) == 0
    assert it.host.timers.next_deadline_ms() is None


@pytest.mark.parametrize(("release", "interval_ms"), [("2.4", 60_000), ("2.8", 10_000)])
def test_a_sweep_runs_at_its_intervals_only(release: str, interval_ms: int) -> None:
    it = Coordinated(release)
    it.coordinator.startup(0)
    it.add(it.init(timeout_ms=5), now_ms=1)
    assert it.host.timers.next_deadline_ms() == interval_ms


def test_a_transaction_expired_at_loading_waits_for_the_next_sweep() -> None:
    it = opened()
    it.coordinator.startup(0)
    index = it.coordinator.states.partition_for(ID)
    it.coordinator.on_resignation(index, 1)
    assert it.host.timers.advance_to(123_456) == [ABORT_TIMER]
    it.coordinator.on_election(index, 2)
    it.host.run_pending(123_456)
    assert it.host.timers.advance_to(129_999) == []
    assert it.host.timers.advance_to(130_000) == [ABORT_TIMER]
    it.host.run_pending(130_000)
    assert state_of(it) is S.COMPLETE_ABORT


def test_a_failed_abort_is_retried_at_every_interval() -> None:
    it = opened()
    it.coordinator.startup(0)
    it.log.refusals += [ErrorCode.NOT_ENOUGH_REPLICAS] * 2
    assert it.host.timers.advance_to(89_999) == [ABORT_TIMER] * 2
    assert state_of(it) is S.ONGOING
    assert it.host.timers.advance_to(90_000) == [ABORT_TIMER]
    assert state_of(it) is S.PREPARE_ABORT


def test_a_later_timeout_is_awaited_after_an_earlier_one() -> None:
    it = Coordinated()
    it.coordinator.startup(0)
    for name, timeout_ms in (("late", 30_000), ("early", 1_000)):
        producer = it.init(transactional_id=name, timeout_ms=timeout_ms)
        it.add(producer, transactional_id=name)
    assert it.host.timers.advance_to(10_000) == [ABORT_TIMER]
    assert (state_of(it, "early"), state_of(it, "late")) == (S.PREPARE_ABORT, S.ONGOING)
    assert it.host.timers.advance_to(40_000) == [ABORT_TIMER]
    assert state_of(it, "late") is S.PREPARE_ABORT


def test_a_long_sweep_runs_in_slices() -> None:
    it = Coordinated()
    count = 3 * SLICE + 1
    for number in range(count):
        name = f"orders-{number}"
        it.add(it.init(transactional_id=name), transactional_id=name, version=2)
    it.coordinator.startup(TIMEOUT_MS)
    ran: list[int] = []
    for now_ms in range(TIMEOUT_MS + 10_000, TIMEOUT_MS + 10_005):
        it.host.timers.advance_to(now_ms)
        ran.append(len(it.host.run_pending(now_ms)) // 2)
    assert ran == [SLICE, SLICE, SLICE, 1, 0]


def test_a_long_expiration_runs_in_slices() -> None:
    it = Coordinated()
    for number in range(2 * SLICE + 1):
        it.init(transactional_id=f"orders-{number}")
    it.coordinator.startup(WEEK_MS)
    left: list[int] = []
    start_ms = WEEK_MS + 60 * 60 * 1_000
    for now_ms in range(start_ms, start_ms + 4):
        it.host.timers.advance_to(now_ms)
        left.append(len(it.coordinator.states))
    assert left == [SLICE + 1, 1, 0, 0]


def test_a_coordinator_that_is_shut_down_does_not_sweep() -> None:
    it = opened()
    it.coordinator.startup(0)
    it.coordinator.shutdown()
    assert it.host.timers.advance_to(WEEK_MS) == []
