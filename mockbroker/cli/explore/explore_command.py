"""Command `mockbroker explore -- CMD...`: a command under every fault at each of its calls."""

from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from mockbroker.cli import EXIT_FAILED, EXIT_USAGE
from mockbroker.cli.command_answer import CommandError, CommandResult, answering, is_quiet
from mockbroker.cli.serve_command import as_click, given_options
from mockbroker.settings.serve_options import OPTIONS

if TYPE_CHECKING:
    from mockbroker.exploration.report import Report

_EXPLORE: Final = "mockbroker.cli.explore.explore"
"""Loaded by name: the help of the command needs no cluster."""
_OF_OTHERS: Final = frozenset(
    {"as_json", "until_eof", "scenario", "journal", "journal_format", "ledger", "no_admin"}
)
"""Options of `serve` that each run decides itself."""


@answering
def _explore(*, command: Sequence[str], **values: Any) -> CommandResult:
    output: str | None = values["folder"]
    if values["resumes"] and output is None:
        raise CommandError("--resume needs the folder of the exploration: --output", EXIT_USAGE)
    if output is not None and not values["resumes"] and _has_content(Path(output)):
        why = f"{output} holds something already: give another folder, or --resume"
        raise CommandError(why, EXIT_USAGE)
    module = import_module(_EXPLORE)
    asked = {name: values.pop(name) for name in module.ASKED}
    asked["assertions"] = asked["assertions"] or None
    report: Report = module.explored(
        given_options(values), command, asked, shows_progress=not is_quiet()
    )
    written = [] if output is None else report.write(output)
    exit_code = 0 if report.has_survived else EXIT_FAILED
    return CommandResult(report.as_json(), _lines(report, written), exit_code)


def _has_content(folder: Path) -> bool:
    return folder.is_dir() and any(folder.iterdir())


def _lines(report: "Report", written: Iterable[object]) -> Iterable[str]:
    yield from report.lines()
    yield from (f"wrote {file}" for file in written)


explore_command: Final = click.Command(
    "explore",
    params=[
        *(as_click(row) for row in OPTIONS if row.target not in _OF_OTHERS),
        click.Option(
            ["--budget"], default="10m", metavar="TIME", help="Time for the exploration (10m)."
        ),
        click.Option(
            ["--pairs"],
            metavar="TIME",
            help="Time for two faults at once, after all single ones; none by default.",
        ),
        click.Option(
            ["-j", "--jobs"],
            type=click.IntRange(1),
            default=1,
            metavar="N",
            help="Number of runs at the same time, each with its own cluster (1).",
        ),
        click.Option(
            ["--timeout"],
            metavar="TIME",
            help="Time for a run (20 times that of the run without faults, at least 10s).",
        ),
        click.Option(
            ["--assert", "assertions"],
            multiple=True,
            metavar="NAME",
            help="Assertion that must hold after each run; repeatable"
            " (exactly-once, no-hanging-transactions).",
        ),
        click.Option(
            ["--same-topic", "same_topics"],
            multiple=True,
            metavar="TOPIC",
            help="Its committed records must be those of the run without faults; repeatable.",
        ),
        click.Option(
            ["--same-output", "same_result"],
            metavar="COMMAND",
            help="A command, such as 'python totals.py', that must print after each run what it"
            " prints after the run without faults.",
        ),
        click.Option(
            ["--tolerate", "tolerated"],
            multiple=True,
            metavar="TEXT",
            help="Failure that the command may have, such as 'exit code 3*'; repeatable.",
        ),
        click.Option(
            ["--only"],
            multiple=True,
            metavar="TEXT",
            help="Names of experiments to run: 'Produce *: the answer is lost'; repeatable.",
        ),
        click.Option(
            ["--repeats"],
            type=click.IntRange(0),
            default=2,
            metavar="N",
            help="How often a failed experiment is repeated, to tell flaky failures (2).",
        ),
        click.Option(
            ["-o", "--output", "folder"],
            metavar="FOLDER",
            help="Folder for the report, and for a page, a scenario and a test of each failure.",
        ),
        click.Option(
            ["--resume", "resumes"],
            is_flag=True,
            help="Go on with the exploration of the output folder, which was interrupted.",
        ),
        click.Argument(["command"], nargs=-1, required=True, type=click.UNPROCESSED),
        *getattr(_explore, "__click_params__"),  # noqa: B009 - click's decorators leave them there
    ],
    callback=_explore,
    context_settings={"allow_interspersed_args": False},
    short_help="Run a command under every fault at each of its calls.",
    help=(
        "Run a command without faults, then again with another fault at one of its calls each "
        "time, and report what breaks it.\n\n"
        "\b\n    mockbroker explore -t orders:3 -o found -- python billing.py\n\n"
        "Options before the command are those of `serve`; each run has a new cluster, with its "
        "address in $KAFKA_BOOTSTRAP_SERVERS. The order follows from --seed. The exit code is 1 if "
        "an experiment failed or none was done, and 2 if the command fails without a fault."
    ),
)
