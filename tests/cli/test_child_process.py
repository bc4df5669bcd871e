"""A command as a child process."""

import os
import pty
import signal
import subprocess
import sys
from collections.abc import Sequence

import pytest

from mockbroker.cli import EXIT_INTERRUPTED
from mockbroker.cli.child_process import ChildProcess
from tests.support.process import PATIENCE_S

pytestmark = pytest.mark.slow

PARENT = """
import os, sys
from mockbroker.cli import EXIT_INTERRUPTED
from mockbroker.cli.child_process import ChildProcess
if sys.argv[1]:
    os.close(os.open(sys.argv[1], os.O_RDWR))  # the first that a new session opens is its own
sys.exit(ChildProcess(sys.argv[2:], {}).run())
"""
# Says when it is there, and what it is sent; SIGTERM is the end.
TELLING = """
import signal
numbers = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
print("there", flush=True)
while (number := signal.sigwait(numbers)) != signal.SIGTERM:
    print(number.name, flush=True)
"""


def python(program: str) -> list[str]:
    return [sys.executable, "-c", program]


def started(program: Sequence[str], terminal: str = "") -> subprocess.Popen[str]:
    """Start a program under a parent of ours, in a session of its own, at a terminal if named."""
    return subprocess.Popen(
        [*python(PARENT), terminal, *program],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


@pytest.mark.parametrize("code", [0, 7])
def test_the_exit_code_is_the_commands(code: int) -> None:
    assert ChildProcess(python(f"raise SystemExit({code})"), {}).run() == code


def test_a_command_that_a_signal_ended_has_the_shells_code() -> None:
    assert ChildProcess(["sh", "-c", "kill -TERM $$"], {}).run() == 128 + signal.SIGTERM


def test_variables_are_added_to_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OURS", "1")
    program = "import os; raise SystemExit(int(os.environ['OURS'] + os.environ['MORE']))"
    assert ChildProcess(python(program), {"MORE": "2"}).run() == 12


def test_an_unknown_command_is_an_error() -> None:
    with pytest.raises(FileNotFoundError):
        ChildProcess(["no-such-command"], {}).run()


def test_handlers_are_put_back() -> None:
    before = signal.getsignal(signal.SIGTERM)
    ChildProcess(["true"], {}).run()
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.parametrize(("number", "code"), [(signal.SIGHUP, 0), (signal.SIGINT, 130)])
def test_signals_are_sent_on(number: signal.Signals, code: int) -> None:
    with started(python(TELLING)) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "there\n"
        process.send_signal(number)
        assert process.stdout.readline() == f"{number.name}\n"
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == code


def test_an_interrupt_at_the_terminal_comes_once() -> None:
    ours, theirs = pty.openpty()
    with started(python(TELLING), os.ttyname(theirs)) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "there\n"
        os.write(ours, b"\x03")
        assert process.stdout.readline() == "SIGINT\n"
        process.send_signal(signal.SIGTERM)
        assert not process.stdout.read()
        assert process.wait(PATIENCE_S) == 130
    os.close(theirs)
    os.close(ours)


def test_without_process_groups_the_console_interrupts_the_child(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Windows has neither /dev/tty nor process groups of terminals."""
    for name in ("tcgetpgrp", "getpgrp", "O_NOCTTY"):
        monkeypatch.delattr(os, name)
    program = "import os, signal; os.kill(os.getppid(), signal.SIGINT)"
    assert ChildProcess(python(program), {}).run() == EXIT_INTERRUPTED
