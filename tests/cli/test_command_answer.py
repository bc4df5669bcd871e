"""Output formats and exit codes of commands."""

import json
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner, Result

from mockbroker.cli.command_answer import CommandError, CommandResult, answering


@click.command
@click.option("--fail", is_flag=True)
@answering
def counted(*, fail: bool) -> CommandResult:
    """Count to two."""
    if fail:
        raise CommandError("there is no broker 9; there are 1, 2", 3, {"near": ["1"]})

    def lines() -> Iterator[str]:
        yield "NUMBER"
        yield "two: ü"

    return CommandResult({"count": 2, "word": "ü"}, lines(), exit_code=1)


def invoke(*words: str) -> Result:
    return CliRunner().invoke(counted, words)


def test_the_default_output_is_lines_of_text() -> None:
    result = invoke()
    assert (result.stdout, result.stderr, result.exit_code) == ("NUMBER\ntwo: ü\n", "", 1)


def test_json_is_one_line_with_a_version_of_its_format() -> None:
    result = invoke("--json")
    assert (result.stdout, result.exit_code) == ('{"_v": 1, "count": 2, "word": "ü"}\n', 1)


def test_each_item_of_a_stream_is_a_line() -> None:
    @click.command
    @answering
    def streamed() -> CommandResult:
        return CommandResult({}, ["one", "two"], stream=({"number": number} for number in (1, 2)))

    assert CliRunner().invoke(streamed).stdout == "one\ntwo\n"
    lines = CliRunner().invoke(streamed, ["--json"]).stdout
    assert lines == '{"_v": 1, "number": 1}\n{"_v": 1, "number": 2}\n'


@pytest.mark.parametrize("words", [["-q"], ["--quiet", "--json"]])
def test_quiet_prints_nothing_and_sets_the_exit_code(words: list[str]) -> None:
    result = invoke(*words)
    assert (result.stdout, result.stderr, result.exit_code) == ("", "", 1)


def test_a_failure_is_one_line_with_its_exit_code() -> None:
    result = invoke("--fail")
    assert (result.stdout, result.exit_code) == ("", 3)
    assert result.stderr == "mockbroker: there is no broker 9; there are 1, 2\n"


def test_a_failure_is_printed_as_json_too() -> None:
    result = invoke("--fail", "--json")
    why = "there is no broker 9; there are 1, 2"
    assert json.loads(result.stdout) == {
        "_v": 1,
        "error": {"exit_code": 3, "why": why, "near": ["1"]},
    }
    assert why in result.stderr
    assert not invoke("--fail", "--json", "-q").stdout


def test_a_failure_of_the_output_is_one_line_too() -> None:
    @click.command
    @answering
    def broken() -> CommandResult:
        def lines() -> Iterator[str]:
            yield "one"
            raise CommandError("the stream broke", 1)

        return CommandResult({}, lines())

    result = CliRunner().invoke(broken)
    assert (result.stdout, result.exit_code) == ("one\n", 1)
    assert result.stderr == "mockbroker: the stream broke\n"
