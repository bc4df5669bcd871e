"""What commands answer with."""

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


def test_people_get_lines() -> None:
    result = invoke()
    assert (result.stdout, result.stderr, result.exit_code) == ("NUMBER\ntwo: ü\n", "", 1)


def test_programs_get_one_line_that_counts_its_form() -> None:
    result = invoke("--json")
    assert (result.stdout, result.exit_code) == ('{"_v": 1, "count": 2, "word": "ü"}\n', 1)


def test_what_comes_bit_by_bit_is_a_line_each() -> None:
    @click.command
    @answering
    def streamed() -> CommandResult:
        return CommandResult({}, ["one", "two"], stream=({"number": number} for number in (1, 2)))

    assert CliRunner().invoke(streamed).stdout == "one\ntwo\n"
    lines = CliRunner().invoke(streamed, ["--json"]).stdout
    assert lines == '{"_v": 1, "number": 1}\n{"_v": 1, "number": 2}\n'


@pytest.mark.parametrize("words", [["-q"], ["--quiet", "--json"]])
def test_who_asks_for_quiet_gets_the_exit_code(words: list[str]) -> None:
    result = invoke(*words)
    assert (result.stdout, result.stderr, result.exit_code) == ("", "", 1)


def test_a_failure_is_one_line_with_its_exit_code() -> None:
    result = invoke("--fail")
    assert (result.stdout, result.exit_code) == ("", 3)
    assert result.stderr == "mockbroker: there is no broker 9; there are 1, 2\n"


def test_a_failure_is_told_to_programs_too() -> None:
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
