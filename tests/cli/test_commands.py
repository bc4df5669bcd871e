"""The commands in click's terms."""

import subprocess
import sys

import pytest
from click.testing import CliRunner

from mockbroker import __version__
from mockbroker.cli import EXIT_INTERRUPTED
from mockbroker.cli.commands import COMMANDS, commands
from mockbroker.settings.serve_options import OPTIONS, ServeOptions


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[ServeOptions]:
    """Options with which `serve` was called; no cluster is started."""
    options: list[ServeOptions] = []

    def serve(given: ServeOptions) -> int:
        options.append(given)
        return 0

    monkeypatch.setattr("mockbroker.cli.serve.serve", serve)
    return options


def test_serve_takes_every_option_of_the_table(served: list[ServeOptions]) -> None:
    words = (
        "serve --host h --port 1 --brokers 2 --topic a --topic b --config k=v --feature f=1"
        " --proposal p --config-file f --kafka 2.4 --json --log-level error --log-format console"
    )
    assert CliRunner().invoke(commands, words.split()).exit_code == 0
    assert served == [
        ServeOptions(
            host="h",
            port=1,
            brokers=2,
            topics=["a", "b"],
            configs=["k=v"],
            features=["f=1"],
            proposals=["p"],
            config_file="f",
            kafka="2.4",
            as_json=True,
            log_level="error",
            log_format="console",
        )
    ]


def test_omitted_options_have_their_defaults(served: list[ServeOptions]) -> None:
    assert CliRunner().invoke(commands, ["serve"]).exit_code == 0
    assert served == [ServeOptions()]


def test_help_explains_every_option() -> None:
    shown = CliRunner().invoke(commands, ["serve", "-h"]).output
    text = " ".join(shown.split())
    for row in OPTIONS:
        assert all(flag in text for flag in row.flags)
        assert row.help in text


@pytest.mark.parametrize(
    ("wrong", "advice"),
    [("serv", "; did you mean 'serve'?"), ("topics", "; did you mean 'topic'?"), ("xyzzy", "")],
)
def test_an_unknown_command_is_refused_with_the_nearest_name(wrong: str, advice: str) -> None:
    result = CliRunner().invoke(commands, [wrong])
    assert result.exit_code == 2
    assert f"No such command '{wrong}'{advice}" in result.output


def test_a_choice_outside_the_table_is_refused() -> None:
    result = CliRunner().invoke(commands, ["serve", "--log-level", "loud"])
    assert result.exit_code == 2
    assert "'loud' is not one of 'debug', 'info', 'warning', 'error'" in result.output


def test_the_version_is_printed() -> None:
    assert CliRunner().invoke(commands, ["--version"]).output == (
        f"mockbroker, version {__version__}\n"
    )


def test_every_command_is_found_and_helps() -> None:
    shown = CliRunner().invoke(commands, ["--help"]).output
    for name in COMMANDS:
        assert f"  {name} " in shown
        helped = CliRunner().invoke(commands, [name, "--help"])
        assert helped.exit_code == 0
        assert helped.output.startswith(
            f"Usage: mockbroker {name} ".replace("mockbroker", "commands")
        )


def test_an_unknown_command_is_refused() -> None:
    result = CliRunner().invoke(commands, ["sreve"])
    assert result.exit_code == 2
    assert "No such command 'sreve'" in result.output


@pytest.mark.slow
def test_a_command_does_not_import_the_others() -> None:
    code = (
        "import sys; from mockbroker.cli.commands import commands\n"
        "try: commands(['errors', 'NONE', '-q'])\n"
        "except SystemExit: print(*sorted(n for n in sys.modules if n.endswith('_command')))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout == "mockbroker.cli.errors_command\n"


def test_an_interrupted_command_has_the_shells_exit_code(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(_options: ServeOptions) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("mockbroker.cli.serve.serve", interrupted)
    assert CliRunner().invoke(commands, ["serve"]).exit_code == EXIT_INTERRUPTED
