"""Command `mockbroker assert`: the assertions of tests, for scripts and other languages."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import click

from mockbroker.cli import EXIT_FAILED
from mockbroker.cli.assertion_argument import Assertion, AssertionType, assertions_table
from mockbroker.cli.cluster.admin_command import admin_command
from mockbroker.cli.command_answer import CommandResult
from mockbroker.http.admin_client import AdminClient, path_to

_NOTHING: Final = ", but nothing was judged: no producer has sent a record"


@click.command(
    "assert",
    short_help="Check assertions: exactly-once, no-loss, ...",
    help=(
        "Check assertions about a cluster. If one fails, the exit code is 1, and the timelines of "
        "its partitions are printed.\n\n"
        "\b\n    mockbroker assert exactly-once:topic=orders all-faults-fired\n\n"
        "The assertions and their arguments:\n\n\b\n" + assertions_table()
    ),
)
@click.argument("given", metavar="ASSERTION...", type=AssertionType(), nargs=-1, required=True)
@admin_command
def assertions(client: AdminClient, *, given: Sequence[Assertion]) -> CommandResult:
    """Check assertions."""
    document = [{"name": each.row.name, "arguments": dict(each.arguments)} for each in given]
    result = client.post(path_to("assertions"), {"assertions": document})
    lines = list(_lines(result, given))
    return CommandResult(result, lines, exit_code=0 if result["ok"] else EXIT_FAILED)


def _lines(result: Mapping[str, Any], given: Sequence[Assertion]) -> Iterator[str]:
    failed = {each["name"] for each in result["failures"]}
    for assertion in given:
        if assertion.row.name not in failed:
            is_empty = assertion.row.name in result["nothing_judged"]
            yield f"{assertion.text}: holds{_NOTHING if is_empty else ''}"
    for each in result["failures"]:
        yield each["text"]
