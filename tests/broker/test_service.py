"""Shared context of a cluster's connections."""

import pytest

from mockbroker.broker.service import PENDING_WORK_SLICE
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from tests.support.in_process import NOW_MS, Brokers
from tests.support.transactions import Transactor, new_brokers, read


@pytest.fixture
def brokers() -> Brokers:
    return Brokers(topics={"orders": 1})


def test_the_routes_are_those_of_the_release() -> None:
    new, old = Brokers().service.routes, Brokers(release="2.4").service.routes
    assert old[ApiKey.FETCH].versions == range(12)
    assert new[ApiKey.FETCH].versions == range(4, 19)
    assert ApiKey.DESCRIBE_CLUSTER in new
    assert ApiKey.DESCRIBE_CLUSTER not in old


def test_the_clock_is_read_when_work_begins(brokers: Brokers) -> None:
    brokers.clock.advance(5)
    assert brokers.service.now_ms == NOW_MS
    assert brokers.service.read_clock() == NOW_MS + 5
    assert brokers.service.now_ms == NOW_MS + 5


def test_pending_work_is_scheduled_once(brokers: Brokers) -> None:
    ran: list[int] = []
    brokers.service.run_pending_soon()
    assert brokers.loop.is_idle
    brokers.state.defer("work", ran.append)
    brokers.service.run_pending_soon()
    brokers.service.run_pending_soon()
    brokers.loop.run()
    assert ran == [NOW_MS]
    assert brokers.loop.is_idle


def test_others_are_served_between_much_pending_work(brokers: Brokers) -> None:
    done: list[str] = []
    for number in range(PENDING_WORK_SLICE + 1):
        brokers.state.defer(f"work {number}", lambda _now_ms: done.append("work"))
    brokers.service.run_pending_soon()
    brokers.loop.call_soon(lambda: done.append("other"))
    brokers.loop.run()
    assert done == [*["work"] * PENDING_WORK_SLICE, "other", "work"]


def test_the_loop_wakes_the_state_when_a_deadline_is_due(brokers: Brokers) -> None:
    first_ms = brokers.state.next_deadline_ms()
    assert first_ms is not None
    brokers.service.arm_timer()
    brokers.pass_time(first_ms - NOW_MS)
    second_ms = brokers.state.next_deadline_ms()
    assert second_ms is not None
    assert second_ms > first_ms
    assert brokers.loop.timers == 1


def test_a_timer_is_armed_once_and_disarmed_for_good(brokers: Brokers) -> None:
    brokers.service.arm_timer()
    brokers.service.arm_timer()
    assert brokers.loop.timers == 1
    brokers.service.disarm_timer()
    brokers.service.disarm_timer()
    assert brokers.loop.is_idle


def test_without_a_deadline_no_timer_is_armed(
    brokers: Brokers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(brokers.state, "next_deadline_ms", lambda: None)
    brokers.service.arm_timer()
    assert brokers.loop.is_idle


def test_a_deadline_in_the_past_is_due_at_once(brokers: Brokers) -> None:
    brokers.clock.advance(10**9)
    brokers.service.arm_timer()
    brokers.loop.advance(0)
    deadline_ms = brokers.state.next_deadline_ms()
    assert deadline_ms is not None
    assert deadline_ms > brokers.clock.now_ms()


def test_a_request_that_sets_an_earlier_deadline_makes_the_loop_wake_for_it(
    brokers: Brokers,
) -> None:
    ran: list[int] = []
    brokers.service.run_pending_soon()
    assert brokers.loop.is_idle
    brokers.service.arm_timer()
    brokers.state.timers.schedule("soon", NOW_MS + 5, ran.append)
    brokers.service.run_pending_soon()
    assert brokers.loop.timers == 1
    brokers.pass_time(5)
    assert ran == [NOW_MS + 5]


def test_the_first_deadline_of_all_makes_the_loop_wake_for_it(
    brokers: Brokers, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(brokers.state, "next_deadline_ms", lambda: None)
        brokers.service.arm_timer()
    brokers.service.run_pending_soon()
    assert brokers.loop.timers == 1


def test_failed_pending_work_is_retried_by_the_timer() -> None:
    brokers = new_brokers()
    brokers.service.arm_timer()
    producer = Transactor(brokers)
    producer.init()
    producer.add(0)
    partition = brokers.partition("orders")
    in_sync, partition.in_sync_replicas = partition.in_sync_replicas, ()
    producer.end(committed=True)
    assert producer.add(0) == [ErrorCode.CONCURRENT_TRANSACTIONS]
    partition.in_sync_replicas = in_sync
    brokers.pass_time(200)
    assert producer.add(0) == [ErrorCode.NONE]


def test_a_transaction_that_takes_too_long_is_aborted_by_itself() -> None:
    brokers = new_brokers()
    brokers.service.arm_timer()
    producer = Transactor(brokers, timeout_ms=1000)
    producer.init()
    producer.add(0)
    producer.write(0)
    brokers.pass_time(20_000)
    found = read(brokers, committed=True)
    assert (found.last_stable_offset, found.high_watermark) == (2, 2)
    assert producer.write(0).error_code == ErrorCode.INVALID_PRODUCER_EPOCH
