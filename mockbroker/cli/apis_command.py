"""Command `mockbroker apis`: APIs and behaviour of each release of Kafka."""

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
    help="Release to show; repeatable (all).",
)
@click.option("--differences", is_flag=True, help="Show only what differs.")
@answering
def apis(names: tuple[str, ...], *, differences: bool) -> Answer:
    """Show releases of Kafka side by side: the API versions that they serve, and their behaviour.

    The rows contain all differences between mockbroker's releases, except for texts of errors.
    """
    try:
        releases = [Options.for_release(name) for name in names or SUPPORTED_RELEASES]
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    tables = {"API": api_rows(releases), "Option": option_rows(releases)}
    shown = {
        title: [row for row in rows if row.differs or not differences]
        for title, rows in tables.items()
    }
    document = {
        "releases": [options.release for options in releases],
        "apis": _as_json(shown["API"]),
        "options": _as_json(shown["Option"]),
    }
    return Answer(document, _as_tables(releases, shown))


def _as_tables(releases: Sequence[Options], tables: dict[str, list[TableRow]]) -> Iterator[str]:
    for title, rows in tables.items():
        yield from written(releases, rows, title)
        yield ""


def _as_json(rows: Sequence[TableRow]) -> dict[str, list[str]]:
    """Return the cells of the releases by the name of the row."""
    return {row.name: list(row.cells) for row in rows}
