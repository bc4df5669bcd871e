"""Command `mockbroker run -- CMD...`: a cluster for a command, and assertions after it."""

from collections.abc import Sequence
from typing import Any, Final

import click

from mockbroker.cli import EXIT_FAILED
from mockbroker.cli.assertion_argument import (
    DEFAULT_ASSERTIONS,
    Assertion,
    AssertionType,
    assertions_table,
)
from mockbroker.cli.command_answer import CommandResult, answering
from mockbroker.cli.serve_command import as_click, given_options
from mockbroker.events.printable import write_error
from mockbroker.settings.serve_options import OPTIONS

_OF_SERVE_ALONE: Final = frozenset({"as_json", "ledger"})


@answering
def _run(
    *, command: Sequence[str], assertions: Sequence[Assertion], no_assertions: bool, **values: Any
) -> CommandResult:
    # Imported late: the help of the command needs no cluster.
    from mockbroker.cli.run import AskedAssertions, run

    outcome = run(given_options(values), command, AskedAssertions(assertions, no_assertions))
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
            {"name": each, "ok": each not in failed, "why": failed.get(each)}
            for each in outcome.checked
        ],
        "step": outcome.step,
        "journal": outcome.journal,
    }
    is_failed = bool(failed) or outcome.journal is not None or outcome.step is not None
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
            help="Assertion to check at the end, beside those of the scenario; repeatable"
            f" ({', '.join(DEFAULT_ASSERTIONS)}, if the scenario has none).",
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
        "Options before the command are those of `serve`; without --port the ports are free ones, "
        "and without --ledger-rows there is room for 1000000 batches. "
        "The exit code is the command's. If that is 0 and an assertion fails, it is 1, and the "
        "timelines of the partitions are printed on stderr; it is also 1 if a step of the scenario "
        "fails or the journal is incomplete, and 2 if the scenario is not valid.\n\n"
        "The assertions, with arguments as in Python:\n\n\b\n" + assertions_table()
    ),
)
