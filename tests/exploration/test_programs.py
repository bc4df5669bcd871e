"""Programs: a function in a thread, or a command with the cluster in its environment."""

import ast
import sys
import threading
from collections.abc import Callable
from functools import partial

import pytest

from mockbroker import Cluster
from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.exploration.programs import CommandProgram, FunctionProgram

PATIENCE_S = 30.0


def command(code: str) -> CommandProgram:
    return CommandProgram([sys.executable, "-c", code], lambda _cluster: {"GIVEN": "7"})


def test_a_function_fails_by_any_exception() -> None:
    def ends(_cluster: ClusterHandle) -> None:
        raise SystemExit(3)

    cluster = Cluster()
    assert FunctionProgram(lambda _cluster: None).run(cluster, PATIENCE_S) is None
    assert FunctionProgram(ends).run(cluster, PATIENCE_S) == "SystemExit: 3"


def test_a_function_that_does_not_end_is_left_behind() -> None:
    may_end = threading.Event()
    with pytest.raises(TimeoutError):
        FunctionProgram(lambda _cluster: may_end.wait(PATIENCE_S)).run(Cluster(), 0.01)
    may_end.set()


def test_a_command_fails_by_its_exit_code_and_shows_its_last_lines() -> None:
    told = "print(*range(9), sep='\\n', file=sys.stderr)"
    code = f"import os, sys; {told}; sys.exit(int(os.environ['GIVEN']))"
    assert command(code).run(Cluster(), PATIENCE_S) == "exit code 7\n4\n5\n6\n7\n8"
    assert command("").run(Cluster(), PATIENCE_S) is None


def test_a_command_that_does_not_end_is_killed() -> None:
    with pytest.raises(TimeoutError):
        command("import signal; signal.pause()").run(Cluster(), 0.2)


def test_a_command_is_killed_where_there_are_no_process_groups(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr("os.killpg")
    with pytest.raises(TimeoutError):
        command("import time; time.sleep(60)").run(Cluster(), 0.2)


def test_a_missing_command_is_an_error() -> None:
    with pytest.raises(FileNotFoundError):
        CommandProgram(["no-such-command"], lambda _cluster: {}).run(Cluster(), PATIENCE_S)


def program_of_a_test(_cluster: ClusterHandle) -> None:
    """Do nothing."""


def test_each_program_is_written_as_code_of_a_test() -> None:
    assert FunctionProgram(program_of_a_test).test_code("") == (
        "from tests.exploration.test_programs import program_of_a_test\n",
        "program_of_a_test(cluster)\n",
    )
    ast.parse("".join(command("pass").test_code("")))


@pytest.mark.parametrize(
    "function",
    [lambda _cluster: None, partial(program_of_a_test), threading.Thread().run],
    ids=["lambda", "partial", "method"],
)
def test_what_a_test_cannot_import_is_no_code(
    function: Callable[[ClusterHandle], object],
) -> None:
    assert FunctionProgram(function).test_code("") is None
