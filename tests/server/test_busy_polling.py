"""A loop that looks for the next request before it sleeps."""

import os

import pytest

from mockbroker.server.busy_polling import (
    ASK_EVERY_S,
    AWAKE_S,
    CLOSE_S,
    LONG_S,
    TRUST,
    TRUST_MAX,
    BusyPoller,
    has_processor_to_spare,
)
from tests.support.in_process import Brokers
from tests.support.requests import metadata
from tests.support.virtual_loop import VirtualLoop

STEP_S = AWAKE_S / 10


class SteppingClock:
    """A clock on which time passes by being looked at, and which counts how often it was."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.readings = 0

    def __call__(self) -> float:
        self.now_s += STEP_S
        self.readings += 1
        return self.now_s


@pytest.fixture
def loop() -> VirtualLoop:
    return VirtualLoop()


@pytest.fixture
def clock() -> SteppingClock:
    return SteppingClock()


def test_a_single_request_lets_the_loop_sleep(loop: VirtualLoop, clock: SteppingClock) -> None:
    BusyPoller(loop.as_loop, clock, lambda: True).request_came()
    assert loop.is_idle


def test_a_request_that_follows_closely_makes_the_loop_poll_for_a_while(
    loop: VirtualLoop, clock: SteppingClock
) -> None:
    busy_polling = BusyPoller(loop.as_loop, clock, lambda: True)
    busy_polling.request_came()
    busy_polling.request_came()
    began_s = clock.now_s
    assert not loop.is_idle
    loop.run()
    assert AWAKE_S <= clock.now_s - began_s <= AWAKE_S + 2 * STEP_S
    assert loop.is_idle


def test_a_request_that_comes_later_lets_the_loop_sleep(
    loop: VirtualLoop, clock: SteppingClock
) -> None:
    busy_polling = BusyPoller(loop.as_loop, clock, lambda: True)
    busy_polling.request_came()
    clock.now_s += CLOSE_S
    busy_polling.request_came()
    assert loop.is_idle


def transact(busy_polling: BusyPoller, clock: SteppingClock, pause_s: float) -> None:
    """Begin a transaction after a pause, and end it."""
    clock.now_s += pause_s
    busy_polling.request_came()
    busy_polling.request_came(ends_transaction=True)


def awake_s(loop: VirtualLoop, clock: SteppingClock) -> float:
    """Return the remaining polling time of the loop."""
    began_s = clock.now_s
    loop.run()
    return clock.now_s - began_s


def test_transactions_that_keep_coming_a_little_later_are_waited_for(
    loop: VirtualLoop, clock: SteppingClock
) -> None:
    busy_polling = BusyPoller(loop.as_loop, clock, lambda: True)
    for _ in range(TRUST):
        transact(busy_polling, clock, LONG_S / 2)
        assert awake_s(loop, clock) <= AWAKE_S + 2 * STEP_S
    transact(busy_polling, clock, LONG_S / 2)
    assert LONG_S <= awake_s(loop, clock) <= LONG_S + 2 * STEP_S


def test_transactions_that_come_later_than_that_are_not_waited_for_any_more(
    loop: VirtualLoop, clock: SteppingClock
) -> None:
    busy_polling = BusyPoller(loop.as_loop, clock, lambda: True)
    for _ in range(3 * TRUST_MAX):
        transact(busy_polling, clock, LONG_S / 2)
    is_waited_for: list[bool] = []
    for _ in range(TRUST_MAX):
        transact(busy_polling, clock, 2 * LONG_S)
        is_waited_for.append(awake_s(loop, clock) >= LONG_S)
    assert is_waited_for == [True] * (TRUST_MAX - TRUST) + [False] * TRUST


def test_other_requests_that_come_a_little_later_are_not_waited_for(
    loop: VirtualLoop, clock: SteppingClock
) -> None:
    busy_polling = BusyPoller(loop.as_loop, clock, lambda: True)
    for _ in range(3 * TRUST):
        clock.now_s += LONG_S / 2
        busy_polling.request_came()
    assert loop.is_idle


def test_many_requests_are_waited_for_once(loop: VirtualLoop, clock: SteppingClock) -> None:
    busy_polling = BusyPoller(loop.as_loop, clock, lambda: True)
    for _ in range(5):
        busy_polling.request_came()
    before = clock.readings
    loop.run()
    assert clock.readings - before == round(AWAKE_S / STEP_S)


def test_the_loop_sleeps_again_and_can_be_kept_awake_again(
    loop: VirtualLoop, clock: SteppingClock
) -> None:
    busy_polling = BusyPoller(loop.as_loop, clock, lambda: True)
    for _ in range(2):
        busy_polling.request_came()
        busy_polling.request_came()
        assert not loop.is_idle
        loop.run()
        assert loop.is_idle


def test_a_process_with_one_processor_does_not_stay_awake(monkeypatch: pytest.MonkeyPatch) -> None:
    def has(*processors: int) -> None:
        def of_process(_process_id: int) -> set[int]:
            return set(processors)

        monkeypatch.setattr(os, "sched_getaffinity", of_process, raising=False)

    has(3)
    assert not has_processor_to_spare()
    has(0, 1)
    assert has_processor_to_spare()


def test_without_affinity_the_processors_of_the_machine_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 1)
    assert not has_processor_to_spare()
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    assert has_processor_to_spare()


def test_the_requests_of_a_connection_count(clock: SteppingClock) -> None:
    brokers = Brokers(topics={"orders": 1})
    brokers.service.busy_polling = BusyPoller(brokers.loop.as_loop, clock, lambda: True)
    peer = brokers.connect()
    for _ in range(2):
        peer.send(metadata(), 12)
    assert not brokers.loop.is_idle
    assert len(peer.new_frames()) == 2
    assert brokers.loop.is_idle


def test_a_process_that_is_moved_to_one_processor_sleeps_again(
    loop: VirtualLoop, clock: SteppingClock
) -> None:
    answers = [False, True, False]
    busy_polling = BusyPoller(loop.as_loop, clock, lambda: answers.pop(0))
    stayed_awake: list[bool] = []
    for _ in range(3):
        clock.now_s += ASK_EVERY_S
        for _ in range(3):
            busy_polling.request_came()
        stayed_awake.append(not loop.is_idle)
        loop.run()
    assert stayed_awake == [False, True, False]
    assert answers == []
