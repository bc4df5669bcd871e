"""Delayed responses: retried when a watched key is touched, or when the timer fires."""

import pytest

from mockbroker.broker.delayed import DelayedResponse, Purgatory
from mockbroker.protocol.messages.fetch import FetchResponse
from mockbroker.protocol.schema.message import Message
from tests.support.logged import Logged
from tests.support.virtual_loop import VirtualLoop

WAIT_MS = 500
ANSWER = FetchResponse()


class Waiter:
    """Response that a test makes available."""

    def __init__(self, *watched: str, max_wait_ms: int | None = WAIT_MS) -> None:
        self.is_due = False
        self.attempts: list[bool] = []
        self.answers: list[object] = []
        self.delayed = DelayedResponse(watched, max_wait_ms, self.attempt)

    def attempt(self, is_last: bool) -> Message | None:
        self.attempts.append(is_last)
        return ANSWER if is_last or self.is_due else None


@pytest.fixture
def loop() -> VirtualLoop:
    return VirtualLoop()


@pytest.fixture
def purgatory(loop: VirtualLoop) -> Purgatory:
    return Purgatory(loop.as_loop)


def delay(purgatory: Purgatory, waiter: Waiter) -> Waiter:
    purgatory.delay(waiter.delayed, waiter.answers.append)
    return waiter


def test_a_response_is_sent_when_its_timer_fires(loop: VirtualLoop, purgatory: Purgatory) -> None:
    waiter = delay(purgatory, Waiter("a"))
    loop.advance(WAIT_MS / 1000 - 0.001)
    assert not waiter.answers
    loop.advance(0.001)
    assert waiter.answers == [ANSWER]
    assert waiter.attempts == [True]
    assert not purgatory.waiting


def test_a_response_without_a_timeout_waits_for_its_keys_only(
    loop: VirtualLoop, purgatory: Purgatory
) -> None:
    waiter = delay(purgatory, Waiter("a", max_wait_ms=None))
    loop.advance(24 * 60 * 60)
    assert waiter.attempts == []
    waiter.is_due = True
    purgatory.touch("a")
    loop.run()
    assert waiter.answers == [ANSWER]
    assert not purgatory.waiting


def test_a_response_is_sent_when_a_touched_key_completes_it(
    loop: VirtualLoop, purgatory: Purgatory
) -> None:
    waiter = delay(purgatory, Waiter("a", "b"))
    waiter.is_due = True
    purgatory.touch("b")
    assert not waiter.answers
    loop.run()
    assert waiter.answers == [ANSWER]
    assert not purgatory.waiting
    assert loop.is_idle


def test_an_incomplete_response_stays_delayed(loop: VirtualLoop, purgatory: Purgatory) -> None:
    waiter = delay(purgatory, Waiter("a"))
    purgatory.touch("a")
    loop.run()
    assert waiter.attempts == [False]
    loop.advance(WAIT_MS / 1000)
    assert waiter.attempts == [False, True]
    assert waiter.answers == [ANSWER]


def test_many_touches_are_one_attempt(loop: VirtualLoop, purgatory: Purgatory) -> None:
    waiter = delay(purgatory, Waiter("a", "b"))
    for key in ("a", "b", "a"):
        purgatory.touch(key)
    loop.run()
    assert waiter.attempts == [False]


def test_responses_are_retried_in_the_order_of_the_touched_keys(
    loop: VirtualLoop, purgatory: Purgatory
) -> None:
    order: list[str] = []

    def waiting_for(name: str) -> DelayedResponse:
        def attempt(_is_last: bool) -> None:
            order.append(name)

        return DelayedResponse((name,), WAIT_MS, attempt)

    names = [f"partition {number}" for number in range(50)]
    for name in names:
        purgatory.delay(waiting_for(name), lambda _answer: None)
    for name in reversed(names):
        purgatory.touch(name)
    loop.run()
    assert order == list(reversed(names))


def test_touching_an_unwatched_key_does_nothing(loop: VirtualLoop, purgatory: Purgatory) -> None:
    purgatory.touch("a")
    delay(purgatory, Waiter("b"))
    purgatory.touch("a")
    assert loop.timers == 1
    loop.run()
    assert purgatory.waiting


def test_a_removed_response_is_never_sent(loop: VirtualLoop, purgatory: Purgatory) -> None:
    first, second = delay(purgatory, Waiter("a", "b")), delay(purgatory, Waiter("a"))
    purgatory.remove(first.delayed)
    purgatory.touch("a")
    loop.advance(10)
    assert not first.attempts
    assert second.answers == [ANSWER]


def test_removal_before_the_delay_or_twice_is_harmless(purgatory: Purgatory) -> None:
    waiter = Waiter("a")
    purgatory.remove(waiter.delayed)
    delay(purgatory, waiter)
    purgatory.remove(waiter.delayed)
    purgatory.remove(waiter.delayed)
    assert not purgatory.waiting


def test_a_response_removed_after_the_touch_is_not_retried(
    loop: VirtualLoop, purgatory: Purgatory
) -> None:
    waiter = delay(purgatory, Waiter("a"))
    purgatory.touch("a")
    purgatory.remove(waiter.delayed)
    loop.run()
    assert not waiter.attempts


def test_a_negative_wait_ends_in_the_next_round(loop: VirtualLoop, purgatory: Purgatory) -> None:
    waiter = delay(purgatory, Waiter(max_wait_ms=-5))
    loop.advance(0)
    assert waiter.answers == [ANSWER]


def test_a_retry_may_touch_keys_of_other_responses(loop: VirtualLoop, purgatory: Purgatory) -> None:
    first, second = Waiter("a"), delay(purgatory, Waiter("b"))
    purgatory.delay(first.delayed, lambda _answer: purgatory.touch("b"))
    first.is_due = second.is_due = True
    purgatory.touch("a")
    loop.run()
    assert second.answers == [ANSWER]


def test_one_answer_that_fails_does_not_affect_the_others(
    loop: VirtualLoop, purgatory: Purgatory, logged: Logged
) -> None:
    def fail(_answer: object) -> None:
        raise ConnectionError("gone")

    failing, other = Waiter("a"), Waiter("a")
    purgatory.delay(failing.delayed, fail)
    delay(purgatory, other)
    failing.is_due = other.is_due = True
    purgatory.touch("a")
    loop.run()
    assert other.answers == [ANSWER]
    assert len(logged.named("delayed_response_failed")) == 1
