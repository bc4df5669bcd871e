"""The command `mockbroker serve` in click's terms, for what the quick parser leaves to it."""

import sys
from typing import Any, Final

import click

from mockbroker.settings.serve_options import OPTIONS, OptionRow, ServeOptions


def as_click(row: OptionRow) -> click.Option:
    """Make click's option of a row of the table."""
    if row.takes is bool:
        return click.Option([*row.flags, row.target], is_flag=True, help=row.help)
    kind = click.Choice(row.choices) if row.choices else row.takes
    return click.Option(
        [*row.flags, row.target],
        type=kind,
        metavar=row.metavar,
        multiple=row.is_many,
        help=row.help,
    )


def given_options(values: dict[str, Any]) -> ServeOptions:
    """Return what `serve` was asked for, from click's values by the rows' targets."""
    given: dict[str, Any] = {}
    for row in OPTIONS:
        value = values.get(row.target)
        if value is not None and value != ():
            given[row.target] = list(value) if row.is_many else value
    return ServeOptions(**given)


def _serve(**values: Any) -> None:
    from mockbroker.cli.serve import serve

    sys.exit(serve(given_options(values)))


serve_command: Final = click.Command(
    "serve",
    params=[as_click(row) for row in OPTIONS],
    callback=_serve,
    help="Start a cluster and serve it until it is told to stop.",
    short_help="Start a cluster.",
)
