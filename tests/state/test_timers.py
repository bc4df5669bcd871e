"""Timers run in order, by name, and only when the clock advances."""

import pytest

from mockbroker.state.timers import Timers


class Recorder:
    """Records the timers that ran, and their times."""

    def __init__(self) -> None:
        self.ran: list[tuple[str, int]] = []

    def note(self, timers: Timers, name: str, deadline_ms: int) -> None:
        timers.schedule(name, deadline_ms, lambda now_ms: self.ran.append((name, now_ms)))


def test_timers_run_in_the_order_of_their_deadlines() -> None:
    timers, recorder = Timers(), Recorder()
    for name, deadline_ms in [("c", 30), ("a", 10), ("b", 20)]:
        recorder.note(timers, name, deadline_ms)
    assert timers.advance_to(25) == ["a", "b"]
    assert recorder.ran == [("a", 10), ("b", 20)]
    assert len(timers) == 1


def test_equal_deadlines_run_in_the_order_of_their_scheduling() -> None:
    timers, recorder = Timers(), Recorder()
    for name in "zyx":
        recorder.note(timers, name, 10)
    assert timers.advance_to(10) == ["z", "y", "x"]


def test_timers_do_not_run_early() -> None:
    timers, recorder = Timers(), Recorder()
    recorder.note(timers, "a", 10)
    assert timers.advance_to(9) == []
    assert "a" in timers


def test_the_next_deadline_is_the_earliest_one() -> None:
    timers, recorder = Timers(), Recorder()
    assert timers.next_deadline_ms() is None
    recorder.note(timers, "late", 50)
    recorder.note(timers, "early", 20)
    assert timers.next_deadline_ms() == 20


def test_a_cancelled_timer_does_not_run() -> None:
    timers, recorder = Timers(), Recorder()
    recorder.note(timers, "a", 10)
    assert timers.cancel("a")
    assert not timers.cancel("a")
    assert timers.next_deadline_ms() is None
    assert timers.advance_to(100) == []
    assert recorder.ran == []


def test_scheduling_a_name_again_replaces_its_deadline() -> None:
    timers, recorder = Timers(), Recorder()
    recorder.note(timers, "a", 10)
    recorder.note(timers, "a", 30)
    assert len(timers) == 1
    assert timers.advance_to(20) == []
    assert timers.advance_to(30) == ["a"]
    assert recorder.ran == [("a", 30)]


def test_a_timer_that_rearms_itself_runs_for_every_period_of_a_jump() -> None:
    timers = Timers()
    times: list[int] = []

    def tick(now_ms: int) -> None:
        times.append(now_ms)
        timers.schedule("tick", now_ms + 20, tick)

    timers.schedule("tick", 20, tick)
    assert timers.advance_to(70) == ["tick", "tick", "tick"]
    assert times == [20, 40, 60]
    assert timers.next_deadline_ms() == 80


def test_a_deadline_in_the_past_runs_at_the_time_of_the_last_advance() -> None:
    timers, recorder = Timers(now_ms=5), Recorder()
    timers.advance_to(100)
    recorder.note(timers, "late", 40)
    timers.advance_to(100)
    assert recorder.ran == [("late", 100)]


def test_a_timer_can_cancel_another_that_is_due_too() -> None:
    timers, recorder = Timers(), Recorder()
    cancelled: list[bool] = []
    timers.schedule("first", 10, lambda _: cancelled.append(timers.cancel("second")))
    recorder.note(timers, "second", 10)
    assert timers.advance_to(10) == ["first"]
    assert cancelled == [True]
    assert recorder.ran == []


def test_timers_after_a_failed_action_run_later() -> None:
    timers, recorder = Timers(), Recorder()

    def fail(now_ms: int) -> None:
        raise ZeroDivisionError(now_ms)

    timers.schedule("bad", 10, fail)
    recorder.note(timers, "good", 10)
    with pytest.raises(ZeroDivisionError):
        timers.advance_to(20)
    assert timers.next_deadline_ms() == 10
    assert timers.advance_to(20) == ["good"]


def test_replaced_deadlines_are_ignored() -> None:
    timers, recorder = Timers(), Recorder()
    for deadline_ms in range(10_000):
        recorder.note(timers, "fetch", 20_000 - deadline_ms)
    recorder.note(timers, "other", 50_000)
    assert len(timers) == 2
    assert timers.advance_to(50_000) == ["fetch", "other"]
    assert recorder.ran == [("fetch", 10_001), ("other", 50_000)]


def test_other_work_runs_between_slices() -> None:
    timers, slices = Timers(), list[int]()

    def slice_of_work(now_ms: int) -> None:
        slices.append(now_ms)
        timers.schedule("slice", timers.until_ms + 1, slice_of_work)

    timers.schedule("slice", 10, slice_of_work)
    for now_ms, ran in ((10, [10]), (10, []), (500, [11]), (501, [501]), (499, [])):
        slices.clear()
        timers.advance_to(now_ms)
        assert slices == ran
