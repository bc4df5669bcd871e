"""Progress on a terminal, and in a file."""

import io
from threading import Event

import pytest

from mockbroker.spark.report.progress import QUIET_S, Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Clock:
    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_a_file_gets_one_line_for_each_stage() -> None:
    stream, clock = io.StringIO(), Clock()
    progress = Progress(stream, clock)
    with progress.stage("reading"):
        progress.update("1 of 9")
        clock.now_s += 2
    assert stream.getvalue() == "reading: 2.0 s\n"


def test_a_file_gets_the_progress_of_a_long_stage_every_30_seconds() -> None:
    stream, clock = io.StringIO(), Clock()
    progress = Progress(stream, clock)
    with progress.stage("reading"):
        for number in range(1, 8):
            clock.now_s += QUIET_S / 2
            progress.update(f"{number} of 7")
    lines = stream.getvalue().splitlines()
    assert lines == ["reading: 2 of 7", "reading: 4 of 7", "reading: 6 of 7", "reading: 105.0 s"]


def test_a_terminal_has_one_line_that_moves() -> None:
    stream = Terminal()
    progress = Progress(stream)
    with progress.stage("reading"):
        progress.update("1 of 9")
    shown = stream.getvalue()
    assert shown.startswith("\rreading …\rreading: 1 of 9")
    assert shown.count("\n") == 1


def test_progress_is_polled_until_the_end() -> None:
    stream, asked = Terminal(), Event()

    def how_far() -> tuple[int, int]:
        asked.set()
        return 3, 4

    progress = Progress(stream)
    with progress.stage("reading"), progress.watching(how_far):
        assert asked.wait(10)
    assert "75%" in stream.getvalue()
    assert "tasks/" in stream.getvalue()


def test_what_is_counted_moves_a_bar_on_a_terminal() -> None:
    stream = Terminal()
    progress = Progress(stream)
    with progress.stage("judging"), progress.counting(1_000_000, "B") as advance:
        for _ in range(4):
            advance(250_000)
    shown = stream.getvalue()
    assert "50%" in shown
    assert "100%" in shown
    assert shown.rpartition("\r")[2].startswith("judging: ")


def test_the_first_rate_counts_the_time_before_it() -> None:
    stream, clock = Terminal(), Clock()
    progress = Progress(stream, clock)
    with progress.stage("judging"), progress.counting(40_000_000, "B") as advance:
        clock.now_s += 2
        advance(10_000_000)
    assert " 5.0 MB/s" in stream.getvalue()


def test_what_is_counted_is_reported_elsewhere_every_30_seconds() -> None:
    stream, clock = io.StringIO(), Clock()
    progress = Progress(stream, clock)
    with progress.stage("judging"), progress.counting(4_000, "B") as advance:
        clock.now_s += QUIET_S
        advance(1_000)
        advance(1_000)
    assert stream.getvalue() == "judging: 1,000 of 4,000 B\njudging: 30.0 s\n"


def test_a_bar_ends_with_its_stage_also_when_that_fails() -> None:
    stream = Terminal()
    progress = Progress(stream)

    def fail() -> None:
        with progress.stage("reading"):
            progress.reach(1, 2, "tasks")
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        fail()
    assert stream.getvalue().endswith("\n")


def test_quiet_progress_writes_nothing() -> None:
    stream = Terminal()
    progress = Progress(stream, is_quiet=True)
    with progress.stage("reading"):
        progress.reach(1, 2, "tasks")
        progress.update("1 of 2")
        progress.write_line("a line")
    assert not stream.getvalue()
