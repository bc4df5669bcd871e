"""Command `mockbroker diff`: a broker compared with recordings of real Kafka."""

from pathlib import Path
from typing import Any, Final

import click

from mockbroker.cli.command_answer import CommandResult, answering, is_quiet
from mockbroker.cli.diff import DiffOptions, diff

SUFFIXES: Final = (".md", ".json")


def _output_path(_context: click.Context, _option: click.Parameter, path: Path | None) -> Any:
    if path is not None and path.suffix not in SUFFIXES:
        raise click.BadParameter(f"{path} ends neither in .md nor in .json")
    return path


@click.command(short_help="Compare a broker with real Kafka.")
@click.option("--against", required=True, metavar="HOST:PORT", help="The broker.")
@click.option(
    "--kafka", default="4.4", show_default=True, metavar="RELEASE", help="Release to compare with."
)
@click.option(
    "--scenario",
    "names",
    multiple=True,
    metavar="PATTERN",
    help="Have only these conversations, such as `fetch_*`; repeatable (all).",
)
@click.option(
    "--api", "apis", multiple=True, metavar="NAME", help="Have those that use an API; repeatable."
)
@click.option("--walk", metavar="KIND", help="Have a random walk instead, such as `transactions`.")
@click.option("--seed", type=int, default=1, show_default=True, help="Seed of the walk.")
@click.option("--step", type=click.IntRange(min=1), help="End after a step, and show it in full.")
@click.option(
    "--assume",
    multiple=True,
    metavar="KEY=VALUE",
    help="Config that the broker has, if it does not describe it; repeatable.",
)
@click.option("--list", "is_list", is_flag=True, help="List the conversations, and have none.")
@click.option("--keep", "keeps", is_flag=True, help="Do not delete what was made.")
@click.option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(min=0.1),
    default=20.0,
    show_default=True,
    metavar="SECONDS",
    help="Time for one answer.",
)
@click.option(
    "--time-limit",
    "time_limit_s",
    type=click.FloatRange(min=1),
    default=180.0,
    show_default=True,
    metavar="SECONDS",
    help="Time for one conversation.",
)
@click.option(
    "--output",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    callback=_output_path,
    metavar="FILE",
    help="Write a report, as .md or as .json.",
)
@answering
def diff_command(**options: Any) -> CommandResult:
    """Compare a broker with real Kafka, step by step and field by field.

    The broker may be anything that speaks Kafka's protocol. It is asked what real Kafka was asked
    when it was recorded, and its answers are compared with the recorded ones. A random walk has no
    recording: its other side is mockbroker as the same release.

    Names of topics, groups and transactions get a prefix that only this run uses. What was made is
    deleted at the end. What needs several brokers, restarts or other configs is not asked.

    The exit code is 0 if all answers are the same or a listed difference, 1 if some differ or are
    refused, 2 for wrong usage, and 3 if no Kafka broker answers.
    """
    return diff(DiffOptions(**options, is_quiet=is_quiet()))
