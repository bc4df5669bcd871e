"""The cluster's time, as a test lets it pass."""

import asyncio
import threading
import time
from datetime import UTC, datetime, timedelta, timezone

import pytest
from confluent_kafka import Producer

from mockbroker import Cluster
from mockbroker.broker.service import Service
from mockbroker.control.cluster_clock import (
    STEPS_PER_SLICE,
    freeze,
    iso_text,
    jump,
    jump_to,
    resume,
)
from mockbroker.control.cluster_control import NOT_RUNNING, RESET
from mockbroker.events.event_bus import subscribe
from mockbroker.events.event_types import ClockMoved, ClusterEvent, Event
from mockbroker.protocol.errors import ErrorCode
from mockbroker.server.event_loop import at_once
from mockbroker.server.wall_clock import WallClock
from mockbroker.state.clock import ClockMode
from mockbroker.wire import WireClient, WireProducer
from tests.support.group_members import group_of_one, heartbeat
from tests.support.in_process import NOW_MS, Brokers

SEVEN_DAYS_MS = 7 * 86_400_000


def test_the_clock_follows_real_time_and_can_be_advanced() -> None:
    with Cluster() as cluster:
        before_ms = cluster.clock.now_ms
        assert abs(before_ms - time.time() * 1000) < 60_000
        passed = cluster.clock.advance("7d")
        assert SEVEN_DAYS_MS <= passed.now_ms - before_ms < SEVEN_DAYS_MS + 60_000
        assert cluster.clock.now_ms >= passed.now_ms


def test_a_manual_clock_stands_still_between_jumps() -> None:
    with Cluster(clock="manual") as cluster:
        before_ms = cluster.clock.now_ms
        assert cluster.clock.advance("1500ms").now_ms == before_ms + 1_500
        assert cluster.clock.now_ms == before_ms + 1_500


def test_an_advance_returns_the_timers_that_ran_in_order() -> None:
    with Cluster(config={"log.retention.check.interval.ms": "1000"}, clock="manual") as cluster:
        assert cluster.clock.advance("999ms").done == ()
        assert cluster.clock.advance("2s").done == ("log-retention", "log-retention")


@pytest.mark.parametrize("by", ["soon", timedelta(seconds=-1)])
def test_an_invalid_duration_does_not_move_the_clock(by: str | timedelta) -> None:
    with Cluster(clock="manual") as cluster:
        before_ms = cluster.clock.now_ms
        with pytest.raises(ValueError, match=r"not a duration|cannot be negative"):
            cluster.clock.advance(by)
        assert cluster.clock.now_ms == before_ms


def test_a_jump_has_a_unit() -> None:
    with Cluster(clock="manual") as cluster:
        before_ms = cluster.clock.now_ms
        cluster.clock.advance(timedelta(days=7))
        with pytest.warns(DeprecationWarning, match=r"write advance\('7ms'\).* \"7s\"") as told:
            cluster.clock.advance(7)
        assert told[0].filename == __file__
        assert cluster.clock.now_ms == before_ms + 7 * 86_400_000 + 7


def test_any_thread_may_advance_the_clock() -> None:
    with Cluster(clock="manual") as cluster:
        before_ms = cluster.clock.now_ms
        threads = [threading.Thread(target=cluster.clock.advance, args=("1ms",)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert cluster.clock.now_ms == before_ms + 8


@pytest.mark.asyncio
async def test_the_clusters_loop_and_other_threads_may_advance_the_clock() -> None:
    async with Cluster(clock="manual") as cluster:
        before_ms = cluster.clock.now_ms
        cluster.clock.advance("1s")
        await asyncio.to_thread(cluster.clock.advance, "1s")
        assert cluster.clock.now_ms == before_ms + 2_000


def test_an_advance_returns_the_expired_transactional_ids() -> None:
    with (
        Cluster(clock="manual") as cluster,
        WireProducer(cluster.bootstrap_servers, "b") as second,
        WireProducer(cluster.bootstrap_servers, "a") as first,
    ):
        for producer in (second, first):
            producer.init_producer_id()
        assert cluster.clock.advance("6d").transactional_ids == ()
        second.init_producer_id()
        assert cluster.clock.advance("2d").transactional_ids == ("a",)


def test_group_members_stay_during_an_advance() -> None:
    with Cluster() as cluster, WireClient(cluster.bootstrap_servers) as client:
        member_id = group_of_one(client)
        cluster.clock.advance("7d")
        assert heartbeat(client, member_id) == ErrorCode.NONE


def test_sessions_expire_during_an_advance_with_keep_sessions_false() -> None:
    with Cluster(clock="manual") as cluster, WireClient(cluster.bootstrap_servers) as client:
        member_id = group_of_one(client)
        cluster.clock.advance("9s", keep_sessions=False)
        assert heartbeat(client, member_id) == ErrorCode.NONE
        cluster.clock.advance("11s", keep_sessions=False)
        assert heartbeat(client, member_id) == ErrorCode.UNKNOWN_MEMBER_ID


def test_the_clock_is_set_to_a_time_and_never_back() -> None:
    """The moments are near: until one that is far, every periodic timer fires."""
    with Cluster(clock="manual") as cluster:
        clock = cluster.clock
        now_ms = clock.now_ms
        assert clock.set(now_ms + 90_000).now_ms == now_ms + 90_000
        hour = datetime.fromtimestamp(now_ms / 1000, UTC).replace(minute=0, second=0, microsecond=0)
        then = hour + timedelta(hours=2)
        then_ms = round(then.timestamp()) * 1000
        written = f"{then:%Y-%m-%dT%H:%M:%S}"
        elsewhere = then.astimezone(timezone(timedelta(hours=1)))
        assert clock.set(f"{written}Z").now_ms == clock.now_ms == then_ms
        assert clock.set(elsewhere.isoformat()).now_ms == clock.set(then).now_ms == then_ms
        assert clock.set(f"{written}.250").now_ms == then_ms + 250
        assert clock.now == f"{written}.250Z"
        with pytest.raises(ValueError, match="the clock cannot go back"):
            clock.set(f"{hour:%Y-%m-%dT%H:%M:%S}Z")
        with pytest.raises(ValueError, match="'soon' is not a time"):
            clock.set("soon")
        assert clock.now_ms == then_ms + 250


def test_setting_the_clock_returns_the_expired_transactional_ids() -> None:
    with (
        Cluster(clock="manual") as cluster,
        WireProducer(cluster.bootstrap_servers, "orders-svc") as producer,
    ):
        producer.init_producer_id()
        passed = cluster.clock.set(cluster.clock.now_ms + 8 * 86_400_000)
        assert passed.transactional_ids == ("orders-svc",)


def test_a_real_time_clock_cannot_be_advanced_set_or_frozen() -> None:
    with Cluster(clock="real") as cluster:
        clock = cluster.clock
        assert (clock.mode, clock.ahead_ms) == ("real", 0)
        for jump in (lambda: clock.advance("1d"), lambda: clock.set(1 << 50), clock.freeze):
            with pytest.raises(ValueError, match="create the cluster with clock='offset'"):
                jump()
        assert abs(clock.now_ms - time.time() * 1000) < 60_000


def test_a_clock_is_frozen_advanced_and_resumed() -> None:
    with Cluster() as cluster:
        clock = cluster.clock
        assert clock.mode == "offset"
        stands_at_ms = clock.freeze()
        assert (clock.mode, clock.now_ms) == ("manual", stands_at_ms)
        clock.advance("1h")
        assert clock.now_ms == stands_at_ms + 3_600_000
        assert 3_500_000 < clock.ahead_ms <= 3_600_000
        assert clock.resume() == stands_at_ms + 3_600_000
        assert clock.mode == "offset"
        assert clock.now_ms >= stands_at_ms + 3_600_000


HOUR_MS = str(3_600_000)


@pytest.mark.parametrize("mode", ["offset", "manual"])
def test_records_written_after_an_advance_are_new(mode: ClockMode) -> None:
    strict = {
        "log.message.timestamp.before.max.ms": HOUR_MS,
        "log.message.timestamp.after.max.ms": HOUR_MS,
        "log.retention.ms": str(SEVEN_DAYS_MS),
    }
    with Cluster(topics={"orders": 1}, clock=mode, config=strict) as cluster:
        orders = cluster.partition("orders", 0)
        producer = Producer(cluster.client_config("confluent"))
        for jump in ("0ms", "30d"):
            cluster.clock.advance(jump)
            for _ in range(3):  # the fast path learns from the first
                producer.produce("orders", b"order")
                assert producer.flush(10) == 0
        written_ms = [record.timestamp_ms for record in cluster.records("orders")]
        assert all(abs(each - time.time() * 1000) < 600_000 for each in written_ms)

        cluster.clock.advance("6d")
        assert (orders.log_start_offset, orders.log_end_offset) == (3, 6)
        cluster.clock.advance("2d")
        assert (orders.log_start_offset, orders.log_end_offset) == (6, 6)


@pytest.mark.parametrize("off_by_ms", [-3_700_000, 3_700_000])
def test_timestamps_out_of_range_are_refused_after_an_advance_too(off_by_ms: int) -> None:
    strict = {
        "log.message.timestamp.before.max.ms": HOUR_MS,
        "log.message.timestamp.after.max.ms": HOUR_MS,
    }
    with (
        Cluster(topics={"orders": 1}, config=strict) as cluster,
        WireProducer(cluster.bootstrap_servers) as producer,
    ):
        producer.init_producer_id()
        cluster.clock.advance("30d")
        stamp_ms = round(time.time() * 1000) + off_by_ms
        refused = producer.produce("orders", b"order", base_sequence=0, timestamp_ms=stamp_ms)
        assert refused.error is ErrorCode.INVALID_TIMESTAMP
        assert producer.produce("orders", b"order", base_sequence=0).error is ErrorCode.NONE


def test_a_producer_expires_a_day_after_its_last_batch_even_after_an_advance() -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        WireProducer(cluster.bootstrap_servers) as producer,
    ):
        producer.init_producer_id()
        cluster.clock.advance("30d")
        assert producer.produce("orders", b"first", base_sequence=0).error is ErrorCode.NONE
        cluster.clock.advance("23h")
        gap = producer.produce("orders", b"third", base_sequence=2)
        assert gap.error is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
        cluster.clock.advance("2h")
        assert producer.produce("orders", b"third", base_sequence=2).error is ErrorCode.NONE


def test_each_timer_runs_at_its_own_time_with_the_work_that_it_defers() -> None:
    brokers = Brokers()
    cluster = brokers.state
    seen: list[tuple[str, int]] = []

    def first(now_ms: int) -> None:
        seen.append(("first", now_ms - NOW_MS))
        cluster.defer("after the first", lambda at_ms: seen.append(("after", at_ms - NOW_MS)))

    cluster.timers.schedule("first", NOW_MS + 10, first)
    cluster.timers.schedule("second", NOW_MS + 20, lambda at_ms: seen.append(("second", at_ms)))
    cluster.timers.schedule("third", NOW_MS + 21, first)
    passed = at_once(jump(brokers.service, brokers.clock, 20, keep_sessions=True))
    assert seen == [("first", 10), ("after", 10), ("second", NOW_MS + 20)]
    assert passed == (NOW_MS + 20, ("first", "after the first", "second"), (), ())
    assert brokers.service.now_ms == NOW_MS + 20


def test_pending_work_is_done_before_the_clock_moves() -> None:
    brokers = Brokers()
    seen: list[int] = []
    brokers.state.defer("promised", seen.append)
    assert at_once(jump(brokers.service, brokers.clock, 5, keep_sessions=True)).done == (
        "promised",
    )
    assert seen == [NOW_MS]


def test_a_past_time_is_refused_and_the_clock_does_not_move() -> None:
    brokers = Brokers()
    brokers.state.defer("promised", lambda _now_ms: None)
    with pytest.raises(ValueError, match=rf"the clock cannot go back from {iso_text(NOW_MS)} to"):
        at_once(jump_to(brokers.service, brokers.clock, NOW_MS - 1, keep_sessions=True))
    assert (brokers.clock.now_ms(), len(brokers.state.pending)) == (NOW_MS, 1)
    passed = at_once(jump_to(brokers.service, brokers.clock, NOW_MS + 7, keep_sessions=True))
    assert passed.now_ms == NOW_MS + 7


def on_a(clock: WallClock) -> tuple[Brokers, Service]:
    brokers = Brokers(topics={"orders": 1})
    service = brokers.service
    service.clock = clock
    service.clock_moved()
    return brokers, service


def test_a_real_time_clock_refuses_before_pending_work_is_done() -> None:
    clock = WallClock("real")
    brokers, service = on_a(clock)
    brokers.state.defer("promised", lambda _now_ms: None)
    with pytest.raises(ValueError, match="only follows real time"):
        at_once(jump(service, clock, 5, keep_sessions=True))
    with pytest.raises(ValueError, match="only follows real time"):
        freeze(service, clock)
    assert len(brokers.state.pending) == 1


def test_a_resumed_clock_continues_where_it_was_frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    real_ns = [1_000_000_000_000]
    monkeypatch.setattr("time.time_ns", lambda: real_ns[0])
    clock = WallClock()
    _, service = on_a(clock)
    told: list[Event] = []
    subscribe(service, told.append)
    assert freeze(service, clock) == 1_000_000
    real_ns[0] += 5_000_000
    assert (service.read_clock(), service.client_now_ms) == (1_000_000, 1_000_005)
    at_once(jump(service, clock, 100, keep_sessions=True))
    assert (service.now_ms, service.client_now_ms) == (1_000_100, 1_000_005)
    assert resume(service, clock) == 1_000_100
    real_ns[0] += 3_000_000
    assert (service.read_clock(), service.client_now_ms) == (1_000_103, 1_000_008)
    assert told == [
        ClusterEvent("clock_frozen", {"now_ms": 1_000_000}),
        ClockMoved(1_000_000, 1_000_100),
        ClusterEvent("clock_resumed", {"now_ms": 1_000_100}),
    ]


TEN_YEARS_MS = 3_650 * 86_400_000


@pytest.mark.parametrize("by", ["3651d", "36500d", f"{TEN_YEARS_MS + 1}ms", f"{1 << 70}ms"])
def test_a_jump_of_more_than_ten_years_is_refused_and_nothing_moves(by: str) -> None:
    with Cluster(clock="manual") as cluster:
        before_ms = cluster.clock.now_ms
        with pytest.raises(ValueError, match=r"cannot advance by .*: at most 3650d at a time"):
            cluster.clock.advance(by)
        with pytest.raises(ValueError, match=r"cannot advance by .*: at most 3650d at a time"):
            cluster.clock.set(before_ms + TEN_YEARS_MS + 1)
        assert cluster.clock.now_ms == before_ms


def ticking(brokers: Brokers) -> list[int]:
    """Run a timer every millisecond, and return its times as they come."""
    ticks: list[int] = []

    def tick(now_ms: int) -> None:
        ticks.append(now_ms - NOW_MS)
        brokers.state.timers.schedule("tick", now_ms + 1, tick)

    brokers.state.timers.schedule("tick", NOW_MS + 1, tick)
    return ticks


def test_a_long_jump_runs_in_slices_that_end_at_their_last_timer() -> None:
    brokers = Brokers()
    ticks, reached = ticking(brokers), list[int]()
    for _ in jump(brokers.service, brokers.clock, 3 * STEPS_PER_SLICE, keep_sessions=True):
        assert brokers.clock.now_ms() == brokers.service.now_ms == NOW_MS + ticks[-1]
        reached.append(ticks[-1])
    assert reached == [STEPS_PER_SLICE, 2 * STEPS_PER_SLICE, 3 * STEPS_PER_SLICE]
    assert ticks == list(range(1, 3 * STEPS_PER_SLICE + 1))
    assert brokers.clock.now_ms() == NOW_MS + 3 * STEPS_PER_SLICE


def test_a_slice_has_fewer_timers_where_there_are_many_logs() -> None:
    brokers = Brokers(topics={"orders": 9})
    for partition in brokers.topic("orders").partitions:
        brokers.state.log_of(partition, NOW_MS)
    ticks = ticking(brokers)
    next(jump(brokers.service, brokers.clock, STEPS_PER_SLICE, keep_sessions=True))
    assert len(ticks) == STEPS_PER_SLICE // 10


def test_a_member_that_is_heard_between_two_slices_stays() -> None:
    with Cluster(clock="manual") as cluster, WireClient(cluster.bootstrap_servers) as client:
        member_id = group_of_one(client)
        months = threading.Thread(target=cluster.clock.advance, args=("60d",))
        months.start()
        while months.is_alive():
            assert heartbeat(client, member_id) == ErrorCode.NONE
        cluster.clock.advance("9s", keep_sessions=False)
        assert heartbeat(client, member_id) == ErrorCode.NONE
        cluster.clock.advance("11s", keep_sessions=False)
        assert heartbeat(client, member_id) == ErrorCode.UNKNOWN_MEMBER_ID


@pytest.mark.parametrize(("is_reset", "why"), [(False, NOT_RUNNING), (True, RESET)])
def test_a_jump_ends_when_the_cluster_is_stopped_or_reset(*, is_reset: bool, why: str) -> None:
    failures: list[str] = []

    def advance() -> None:
        try:
            cluster.clock.advance("3650d")
        except RuntimeError as failure:
            failures.append(str(failure))

    years = threading.Thread(target=advance)
    with Cluster(clock="manual") as cluster:
        before_ms = cluster.clock.now_ms
        years.start()
        while cluster.clock.now_ms == before_ms:  # answered while the clock advances
            pass
        if is_reset:
            cluster.reset()
            years.join()
        assert cluster.clock.now_ms < before_ms + TEN_YEARS_MS
    years.join()
    assert failures == [why]
