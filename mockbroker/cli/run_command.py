"""Command `mockbroker run -- CMD...`: a cluster for a command, and assertions after it."""

from collections.abc import Sequence
from typing import Any, Final

import click

from mockbroker.cli import EXIT_FAILED
from mockbroker.cli.assertion_argument import (
    Assertion,
    AssertionType,
    assertions_table,
    parse_assertion,
)
from mockbroker.cli.command_answer import CommandResult, answering
from mockbroker.cli.serve_command import as_click, given_options
from mockbroker.events.printable import write_error
from mockbroker.settings.serve_options import OPTIONS

DEFAULT_ASSERTIONS: Final = ("exactly-once", "all-faults-fired")
"""Every record is stored once and no transaction is open; every fault was triggered."""
_OF_SERVE_ALONE: Final = frozenset({"as_json", "ledger"})


@answering
def _run(
    *, command: Sequence[str], assertions: Sequence[Assertion], no_assertions: bool, **values: Any
) -> CommandResult:
    # Imported late: the help of the command needs no cluster.
    from mockbroker.cli.run import run

    checked = assertions or [parse_assertion(text) for text in DEFAULT_ASSERTIONS]
    checked = [] if no_assertions else checked
    outcome = run(given_options(values), command, checked)
    for failure in outcome.failures:
        write_error(failure.why)
    if outcome.faults:
        write_error("\n".join(["faults:", *outcome.faults]))
    if outcome.journal is not None:
        write_error(outcome.journal)
    failed = {failure.assertion: failure.why for failure in outcome.failures}
    document = {
        "command_exit_code": outcome.command_exit_code,
        "assertions": [
            {"name": each.text, "ok": each.text not in failed, "why": failed.get(each.text)}
            for each in checked
        ],
        "journal": outcome.journal,
    }
    is_failed = bool(failed) or outcome.journal is not None
    return CommandResult(
        document, (), outcome.command_exit_code or (EXIT_FAILED if is_failed else 0)
    )


run_command: Final = click.Command(
    "run",
    params=[
        *(as_click(row) for row in OPTIONS if row.target not in _OF_SERVE_ALONE),
        click.Option(
            ["--assert", "assertions"],
            type=AssertionType(),
            multiple=True,
            metavar="NAME[:ARGUMENTS]",
            help=f"Assertion to check at the end; repeatable ({', '.join(DEFAULT_ASSERTIONS)}).",
        ),
        click.Option(["--no-assertions"], is_flag=True, help="Check no assertions."),
        click.Argument(["command"], nargs=-1, required=True, type=click.UNPROCESSED),
        *getattr(_run, "__click_params__"),  # noqa: B009 - click's decorators leave them there
    ],
    callback=_run,
    context_settings={"allow_interspersed_args": False},
    short_help="Run a command with a cluster, then check assertions.",
    help=(
        "Start a cluster, run a command with its address in $KAFKA_BOOTSTRAP_SERVERS, and check "
        "assertions at the end.\n\n"
        "\b\n    mockbroker run -t orders:3 -- pytest -q\n\n"
        "Options before the command are those of `serve`; without --port the ports are free ones. "
        "The exit code is the command's. If that is 0 and an assertion fails, it is 1, and the "
        "timelines of the partitions are printed on stderr; it is also 1 if the journal is "
        "incomplete.\n\n"
        "The assertions, with arguments as in Python:\n\n\b\n" + assertions_table()
    ),
)
