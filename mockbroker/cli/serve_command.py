"""Command `mockbroker serve`, and the options of `serve` as options of click commands."""

import sys
from typing import Any, Final

import click

from mockbroker.cli.main import run_serve
from mockbroker.settings.serve_options import (
    OPTIONS,
    OptionError,
    OptionRow,
    ServeOptions,
    parse_serve_options,
)


def as_click(row: OptionRow) -> click.Option:
    """Convert a row of the table to an option of click."""
    if row.takes is bool:
        return click.Option([*row.flags, row.target], is_flag=True, help=row.help)
    kind: Any = click.Choice(row.choices) if row.choices else row.takes
    return click.Option(
        [*row.flags, row.target],
        type=kind if row.maximum is None else click.IntRange(0, row.maximum),
        metavar=row.metavar,
        multiple=row.is_many,
        help=row.help,
    )


def given_options(values: dict[str, Any]) -> ServeOptions:
    """Collect the options from click's values, for commands that take some options of `serve`."""
    given: dict[str, Any] = {
        row.target: list(value) if row.is_many else value
        for row in OPTIONS
        if (value := values.get(row.target)) not in {None, ()} and value is not False
    }
    return ServeOptions(**given)


class ServeCommand(click.Command):
    """Command with the parser of `serve`: click only shows the help and completes lines."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the options, unless the arguments ask for help."""
        if ctx.resilient_parsing:
            return super().parse_args(ctx, args)
        try:
            options = parse_serve_options(args)
        except OptionError as error:
            raise click.UsageError(str(error), ctx) from None
        if options is None:
            return super().parse_args(ctx, ctx.help_option_names[:1])
        ctx.params["options"] = options
        return []


def _serve(options: ServeOptions) -> None:
    sys.exit(run_serve(options))


serve_command: Final = ServeCommand(
    "serve",
    params=[as_click(row) for row in OPTIONS],
    callback=_serve,
    help="Start a cluster and serve it until it is stopped.",
    short_help="Start a cluster.",
)
