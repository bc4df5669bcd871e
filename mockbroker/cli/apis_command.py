"""The command `mockbroker apis`: what each release of Kafka serves, and how it behaves."""

from collections.abc import Iterator, Sequence

import click

from mockbroker.cli.command_answer import Answer, answering
from mockbroker.cli.release_table import (
    TableRow,
    api_rows,
    option_rows,
    written,
)
from mockbroker.state.release.options import SUPPORTED_RELEASES, Options


@click.command(short_help="Show releases side by side.")
@click.option(
    "--kafka",
    "names",
    metavar="RELEASE",
    multiple=True,
    help="A release to show; repeatable (all).",
)
@click.option("--differences", is_flag=True, help="Leave out what the releases have in common.")
@answering
def apis(names: tuple[str, ...], *, differences: bool) -> Answer:
    """Show releases of Kafka side by side: the versions of APIs they serve, and how they behave.

    Everything in which mockbroker's releases differ is in these rows, but for the wording of
    errors.
    """
    try:
        releases = [Options.for_release(name) for name in names or SUPPORTED_RELEASES]
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    tables = {"API": api_rows(releases), "Option": option_rows(releases)}
    kept = {
        title: [row for row in rows if row.tells_apart or not differences]
        for title, rows in tables.items()
    }
    document = {
        "releases": [options.release for options in releases],
        "apis": _as_json(kept["API"]),
        "options": _as_json(kept["Option"]),
    }
    return Answer(document, _as_tables(releases, kept))


def _as_tables(releases: Sequence[Options], kept: dict[str, list[TableRow]]) -> Iterator[str]:
    for title, rows in kept.items():
        yield from written(releases, rows, title)
        yield ""


def _as_json(rows: Sequence[TableRow]) -> dict[str, list[str]]:
    """Give for each name what the releases have there, in their order."""
    return {row.name: list(row.cells) for row in rows}
