"""A jump of the clock does all that falls due, each at its own time, and what follows from it."""

import pytest

from mockbroker.broker.service import Service
from mockbroker.control.clock_jump import (
    freeze,
    jump,
    jump_to,
    resume,
)
from mockbroker.events.event_types import ClockMoved, ClusterEvent, Event
from mockbroker.server.wall_clock import WallClock
from tests.support.in_process import NOW_MS, Brokers


def test_each_deadline_runs_at_its_own_time_with_what_follows_from_it() -> None:
    brokers = Brokers()
    cluster = brokers.state
    seen: list[tuple[str, int]] = []

    def first(now_ms: int) -> None:
        seen.append(("first", now_ms - NOW_MS))
        cluster.defer("after the first", lambda at_ms: seen.append(("after", at_ms - NOW_MS)))

    cluster.timers.schedule("first", NOW_MS + 10, first)
    cluster.timers.schedule("second", NOW_MS + 20, lambda at_ms: seen.append(("second", at_ms)))
    cluster.timers.schedule("third", NOW_MS + 21, first)
    passed = jump(brokers.service, brokers.clock, 20, keep_sessions=True)
    assert seen == [("first", 10), ("after", 10), ("second", NOW_MS + 20)]
    assert passed == (NOW_MS + 20, ("first", "after the first", "second"), (), ())
    assert brokers.service.now_ms == NOW_MS + 20


def test_what_was_promised_is_done_before_time_passes() -> None:
    brokers = Brokers()
    seen: list[int] = []
    brokers.state.defer("promised", seen.append)
    assert jump(brokers.service, brokers.clock, 5, keep_sessions=True).done == ("promised",)
    assert seen == [NOW_MS]


def test_a_moment_that_is_past_is_refused_and_nothing_moves() -> None:
    brokers = Brokers()
    brokers.state.defer("promised", lambda _now_ms: None)
    with pytest.raises(ValueError, match=rf"time does not go back: it is {NOW_MS}, and not"):
        jump_to(brokers.service, brokers.clock, NOW_MS - 1, keep_sessions=True)
    assert (brokers.clock.now_ms(), len(brokers.state.pending)) == (NOW_MS, 1)
    passed = jump_to(brokers.service, brokers.clock, NOW_MS + 7, keep_sessions=True)
    assert passed.now_ms == NOW_MS + 7


def on_a(clock: WallClock) -> tuple[Brokers, Service]:
    brokers = Brokers(topics={"orders": 1})
    service = brokers.service
    service.clock = clock
    service.clock_moved()
    return brokers, service


def test_a_clock_that_is_real_time_refuses_before_anything_happens() -> None:
    clock = WallClock("real")
    brokers, service = on_a(clock)
    brokers.state.defer("promised", lambda _now_ms: None)
    with pytest.raises(ValueError, match="only follows real time"):
        jump(service, clock, 5, keep_sessions=True)
    with pytest.raises(ValueError, match="only follows real time"):
        freeze(service, clock)
    assert len(brokers.state.pending) == 1


def test_time_stands_still_and_goes_on_from_there(monkeypatch: pytest.MonkeyPatch) -> None:
    real_ns = [1_000_000_000_000]
    monkeypatch.setattr("time.time_ns", lambda: real_ns[0])
    clock = WallClock()
    _, service = on_a(clock)
    told: list[Event] = []
    service.subscribe(told.append)
    assert freeze(service, clock) == 1_000_000
    real_ns[0] += 5_000_000
    assert (service.read_clock(), service.client_now_ms) == (1_000_000, 1_000_005)
    jump(service, clock, 100, keep_sessions=True)
    assert (service.now_ms, service.client_now_ms) == (1_000_100, 1_000_005)
    assert resume(service, clock) == 1_000_100
    real_ns[0] += 3_000_000
    assert (service.read_clock(), service.client_now_ms) == (1_000_103, 1_000_008)
    assert told == [
        ClusterEvent("clock_frozen", {"now_ms": 1_000_000}),
        ClockMoved(1_000_000, 1_000_100),
        ClusterEvent("clock_resumed", {"now_ms": 1_000_100}),
    ]
