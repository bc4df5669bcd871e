"""Progress on a terminal, and in a file."""

import io
from threading import Event

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

    def how_far() -> str:
        asked.set()
        return "3 of 4"

    progress = Progress(stream)
    with progress.stage("reading"), progress.watching(how_far):
        assert asked.wait(10)
    assert "reading: 3 of 4" in stream.getvalue()
