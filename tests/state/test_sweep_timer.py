"""A sweep runs at its intervals, and only when something is due."""

import pytest

from mockbroker.state.sweep_timer import SweepTimer
from mockbroker.state.timers import Timers

INTERVAL_MS = 100


class Sweep:
    """A sweep that records its runs, with a given number of slices."""

    def __init__(self, slices: int = 1) -> None:
        self.timers = Timers()
        self.timer = SweepTimer(self.timers, "sweep", self.run_slice)
        self.slices = slices
        self.ran: list[int] = []

    def run_slice(self, now_ms: int) -> bool:
        self.ran.append(now_ms)
        return len(self.ran) % self.slices != 0


@pytest.mark.parametrize(
    ("due_ms", "runs_ms"),
    [(-500, 107), (0, 107), (7, 107), (107, 107), (108, 207), (9_999, 10_007)],
)
def test_a_sweep_runs_at_the_first_interval_at_which_something_is_due(
    due_ms: int, runs_ms: int
) -> None:
    sweep = Sweep()
    sweep.timer.startup(7, INTERVAL_MS)
    sweep.timer.expect(due_ms, 7)
    assert sweep.timers.next_deadline_ms() == runs_ms
    assert sweep.timers.advance_to(100_000) == ["sweep"]
    assert sweep.ran == [runs_ms]


def test_overdue_work_waits_for_the_next_interval() -> None:
    sweep = Sweep()
    sweep.timer.startup(0, INTERVAL_MS)
    sweep.timer.expect(50, 300)
    assert sweep.timers.next_deadline_ms() == 400


def test_an_earlier_time_brings_it_forward_and_a_later_one_has_no_effect() -> None:
    sweep = Sweep()
    sweep.timer.startup(0, INTERVAL_MS)
    seen: list[int | None] = []
    for due_ms in (550, 501, 600, 250, 200, 999):
        sweep.timer.expect(due_ms, 0)
        seen.append(sweep.timers.next_deadline_ms())
    assert seen == [600, 600, 600, 300, 200, 200]


def test_nothing_runs_before_the_start_or_after_the_end() -> None:
    sweep = Sweep()
    sweep.timer.expect(50, 0)
    assert sweep.timers.next_deadline_ms() is None
    sweep.timer.startup(0, INTERVAL_MS)
    sweep.timer.expect(50, 0)
    sweep.timer.shutdown()
    assert sweep.timers.advance_to(1_000) == []
    sweep.timer.expect(50, 1_000)
    assert sweep.timers.next_deadline_ms() is None
    assert sweep.ran == []


def test_slices_follow_each_other_with_a_pause() -> None:
    sweep = Sweep(slices=3)
    sweep.timer.startup(0, INTERVAL_MS)
    sweep.timer.expect(50, 0)
    assert sweep.timers.advance_to(100) == ["sweep"]
    assert sweep.timers.advance_to(150) == ["sweep continued"] * 2
    assert sweep.ran == [100, 101, 102]
    sweep.timer.expect(160, 150)
    assert sweep.timers.next_deadline_ms() == 200


def test_a_sweep_that_is_shut_down_between_slices_stops() -> None:
    sweep = Sweep(slices=3)
    sweep.timer.startup(0, INTERVAL_MS)
    sweep.timer.expect(50, 0)
    sweep.timers.advance_to(100)
    sweep.timer.shutdown()
    assert sweep.timers.advance_to(1_000) == []
    assert sweep.ran == [100]
