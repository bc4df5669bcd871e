"""The command line from the outside: streams, exit codes, signals."""

import gc
import subprocess
import sys
from collections.abc import Sequence
from typing import NoReturn

import pytest

from mockbroker.cli import main as cli
from mockbroker.settings.serve_options import ServeOptions
from tests.support.process import run

pytestmark = pytest.mark.slow


def test_an_unknown_option_is_refused() -> None:
    result = run("serve", "--hots", "x")
    assert result.returncode == 2
    assert "No such option" in result.stderr
    assert "--host" in result.stderr
    assert not result.stdout


def test_a_wrong_kind_of_value_is_refused() -> None:
    result = run("serve", "--port", "many")
    assert result.returncode == 2
    assert "'many' is not a valid integer" in result.stderr


def test_an_unknown_command_is_refused() -> None:
    result = run("server")
    assert result.returncode == 2
    assert "No such command 'server'" in result.stderr


def test_help_names_every_command() -> None:
    result = run("--help")
    assert result.returncode == 0
    assert "serve" in result.stdout
    assert "decode" in result.stdout
    assert "The default command is `serve`" in result.stdout


def test_serve_never_imports_click() -> None:
    code = (
        "import sys; from mockbroker.cli import main, serve\n"
        "serve.serve = lambda options: 7\n"
        "try: main.main(['serve', '-p0', '--seed', '-1'])\n"
        "except SystemExit as over: print(over.code, 'click' in sys.modules)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout == "7 False\n"


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[ServeOptions]:
    """Options with which `serve` was called; no cluster is started."""
    options: list[ServeOptions] = []

    def serve(given: ServeOptions) -> int:
        options.append(given)
        return 3

    monkeypatch.setattr("mockbroker.cli.serve.serve", serve)
    return options


def main(words: Sequence[str] | None) -> int:
    with pytest.raises(SystemExit) as over:
        cli.main(words)
    assert isinstance(over.value.code, int)
    return over.value.code


def test_without_a_command_serve_runs(served: list[ServeOptions]) -> None:
    assert main([]) == 3
    assert served == [ServeOptions()]


@pytest.mark.parametrize("words", [["--json"], ["-b", "2", "--json"], ["-b2", "-t", "decode"]])
def test_options_without_a_command_are_those_of_serve(
    words: list[str], served: list[ServeOptions]
) -> None:
    assert main(words) == 3
    assert main(["serve", *words]) == 3
    assert served[0] == served[1] != ServeOptions()


@pytest.mark.parametrize("word", ["-h", "--help", "--version"])
def test_help_and_version_without_a_command_are_those_of_all_commands(
    word: str, served: list[ServeOptions], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([word]) == 0
    assert "mockbroker" in capsys.readouterr().out
    assert not served


def test_the_arguments_of_the_process_are_read(
    served: list[ServeOptions], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["mockbroker", "serve", "-b", "2"])
    assert main(None) == 3
    assert served == [ServeOptions(brokers=2)]


def test_values_may_follow_short_flags_directly(served: list[ServeOptions]) -> None:
    assert main(["serve", "-p0", "-tx", "-t", "y:2", "--json"]) == 3
    assert served == [ServeOptions(port=0, topics=["x", "y:2"], as_json=True)]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("mockbroker err", "errors"),
        ("mockbroker faults re", "release"),
        ("mockbroker serve --ka", "--kafka"),
    ],
)
def test_a_shell_gets_its_completions(
    line: str,
    found: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    served: list[ServeOptions],
) -> None:
    monkeypatch.setenv("_MOCKBROKER_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(line.split()) - 1))
    assert main([]) == 0
    assert capsys.readouterr().out == f"plain,{found}\n"
    assert not served


def test_other_commands_are_run_by_click(monkeypatch: pytest.MonkeyPatch) -> None:
    def commands(words: list[str], prog_name: str) -> NoReturn:
        raise SystemExit(len(words))

    monkeypatch.setattr("mockbroker.cli.commands.commands", commands)
    assert main(["decode", "--help"]) == 2


def test_the_garbage_collector_is_off_during_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    collected: list[bool] = []

    def serve(_given: ServeOptions) -> int:
        collected.append(gc.isenabled())
        return 3

    monkeypatch.setattr("mockbroker.cli.serve.serve", serve)
    assert main([]) == 3
    assert collected == [False]
    assert gc.isenabled()
