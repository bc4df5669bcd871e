"""The command `mockbroker run -- CMD...`: a cluster for a command, and assertions after it."""

import gc
from collections.abc import Sequence
from typing import Any, Final

import click

from mockbroker.cli.assertion_words import (
    Claim,
    ClaimText,
    claim_of,
    claims_table,
)
from mockbroker.cli.command_answer import EXIT_FAILED, Answer, answering
from mockbroker.cli.serve_command import as_click, given_options
from mockbroker.settings.serve_options import OPTIONS

DEFAULT_ASSERTIONS: Final = ("exactly-once", "all-faults-fired")
"""Whatever came was kept, once, and is over; and no fault was made in vain."""
_OF_SERVE_ALONE: Final = frozenset({"as_json", "ledger"})


@answering
def _run(
    *, command: Sequence[str], assertions: Sequence[Claim], no_assertions: bool, **values: Any
) -> Answer:
    from mockbroker.cli.run import run
    from mockbroker.cli.serve import GC_THRESHOLD

    gc.set_threshold(
        GC_THRESHOLD
    )  # as `serve` does: a cluster makes much, and little of it garbage
    claims = assertions or [claim_of(text) for text in DEFAULT_ASSERTIONS]
    claims = [] if no_assertions else claims
    values["port"] = values["port"] or 0
    outcome = run(given_options(values), command, claims)
    for failure in outcome.failures:
        click.echo(f"mockbroker: {failure.why}", err=True)
    if outcome.faults:
        click.echo("\n".join(["mockbroker: the faults were", *outcome.faults]), err=True)
    failed = {failure.claim: failure.why for failure in outcome.failures}
    document = {
        "command_exit_code": outcome.command_exit_code,
        "assertions": [
            {"name": each.text, "ok": each.text not in failed, "why": failed.get(each.text)}
            for each in claims
        ],
    }
    return Answer(document, (), outcome.command_exit_code or (EXIT_FAILED if failed else 0))


run_command: Final = click.Command(
    "run",
    params=[
        *(as_click(row) for row in OPTIONS if row.target not in _OF_SERVE_ALONE),
        click.Option(
            ["--assert", "assertions"],
            type=ClaimText(),
            multiple=True,
            metavar="NAME[:ARGUMENTS]",
            help=f"What has to hold in the end; repeatable ({', '.join(DEFAULT_ASSERTIONS)}).",
        ),
        click.Option(["--no-assertions"], is_flag=True, help="Check nothing in the end."),
        click.Argument(["command"], nargs=-1, required=True, type=click.UNPROCESSED),
        *getattr(_run, "__click_params__"),  # noqa: B009 - click's decorators leave them there
    ],
    callback=_run,
    context_settings={"allow_interspersed_args": False},
    short_help="Run a command beside a cluster, and check what it leaves.",
    help=(
        "Start a cluster, run a command that finds it in $KAFKA_BOOTSTRAP_SERVERS, and check what "
        "it leaves.\n\n"
        "\b\n    mockbroker run -t orders:3 -- pytest -q\n\n"
        "Options before the command are those of `serve`; ports are free ones unless --port is "
        "given. The exit code is the command's, or 1 where it is 0 and an assertion does not hold: "
        "then the partitions are drawn on stderr.\n\n"
        "What can be asserted, arguments being optional or not as in Python:\n\n\b\n"
        + claims_table()
    ),
)
