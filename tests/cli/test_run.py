"""A cluster for as long as a command takes, in this process."""

import sys
import threading

import pytest

from mockbroker.cli import EXIT_USAGE
from mockbroker.cli.command_answer import CommandError
from mockbroker.cli.run import AskedAssertions, Outcome, run
from mockbroker.settings.serve_options import ServeOptions


def test_an_outcome_has_the_exit_code_and_the_failed_assertions() -> None:
    command = [sys.executable, "-c", "raise SystemExit(3)"]
    names = ["exactly-once", "all-faults-fired"]
    assert run(ServeOptions(port=0), command, AskedAssertions()) == Outcome(
        3, [], [], checked=names
    )
    assert "mockbroker" not in {thread.name for thread in threading.enumerate()}


@pytest.mark.parametrize(
    ("options", "words", "why"),
    [
        (ServeOptions(port=0), ["no-such-command"], "cannot run no-such-command"),
        (ServeOptions(port=-1), ["true"], "--port=-1"),
        (ServeOptions(port=0, topics=["a/b"]), ["true"], "a/b"),
    ],
)
def test_an_invalid_run_leaves_no_thread(options: ServeOptions, words: list[str], why: str) -> None:
    with pytest.raises(CommandError, match=why) as failed:
        run(options, words, AskedAssertions())
    assert failed.value.exit_code == EXIT_USAGE
    assert "mockbroker" not in {thread.name for thread in threading.enumerate()}
