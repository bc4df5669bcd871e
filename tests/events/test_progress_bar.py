"""Progress bars on a terminal."""

import io
from types import SimpleNamespace

import pytest

from mockbroker.events.progress_bar import ProgressBar, progress_bar


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_a_bar_shows_how_far_how_fast_and_how_long(monkeypatch: pytest.MonkeyPatch) -> None:
    stream, clock = Terminal(), Clock()
    monkeypatch.setattr("click._termui_impl.time", SimpleNamespace(time=clock))
    bar = ProgressBar("reading", 40_000_000, "B", stream, clock)
    for _ in range(2):
        clock.now_s += 2
        bar.advance(10_000_000)
    last = stream.getvalue().rpartition("\r")[2]
    assert "reading" in last
    assert "50%" in last
    assert "00:00:04" in last
    assert "5.0 MB/s" in last
    bar.close()
    assert stream.getvalue().endswith("\n")


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0.5, "20 tasks/s"), (20, "30 tasks/min"), (0.001, "10,000 tasks/s")]
)
def test_a_slow_rate_is_by_the_minute(seconds: float, shown: str) -> None:
    stream, clock = Terminal(), Clock()
    bar = ProgressBar("sending", 20, "tasks", stream, clock)
    clock.now_s += seconds
    bar.reach(10)
    assert shown in stream.getvalue()


def test_a_total_that_grows_moves_the_bar_back() -> None:
    stream = Terminal()
    bar = ProgressBar("folding", 4, "tasks", stream)
    bar.reach(2, 4)
    assert "2/4   50%" in stream.getvalue()
    bar.reach(2, 8)
    assert "25%" in stream.getvalue().rpartition("\r")[2]


def test_many_small_steps_move_a_bar_a_few_hundred_times() -> None:
    stream = Terminal()
    with progress_bar("reading", 1_000_000, "lines", stream=stream) as advance:
        for _ in range(10_000):
            advance(100)
    assert "100%" in stream.getvalue()
    assert stream.getvalue().count("\r") < 1_200


@pytest.mark.parametrize("stream", [io.StringIO(), Terminal()])
def test_there_is_no_bar_where_nobody_sees_or_wants_it(stream: io.StringIO) -> None:
    with progress_bar("x", 10, "lines", is_wanted=not stream.isatty(), stream=stream) as advance:
        advance(5)
    assert not stream.getvalue()


def test_a_bar_has_no_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    stream = Terminal()
    with progress_bar("reading", 10, "lines", stream=stream) as advance:
        advance(10)
    assert "\x1b[3" not in stream.getvalue()


def test_a_bar_ends_its_line_when_the_work_fails() -> None:
    stream = Terminal()
    with (
        pytest.raises(ValueError, match="broken"),
        progress_bar("x", 10, "lines", stream=stream),
    ):
        raise ValueError("broken")
    assert stream.getvalue().endswith("\n")
