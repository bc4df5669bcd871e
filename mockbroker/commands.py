"""The commands in click's terms: help, checked arguments, exit codes."""

import sys
from typing import Any

import click

from mockbroker import __version__
from mockbroker.apis_command import apis
from mockbroker.decode_command import decode
from mockbroker.serve_options import OPTIONS, OptionRow, ServeOptions


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help=(
        "A Kafka cluster in one process, for testing what clients do when things get hard.\n\n"
        "Without a command it starts `serve`, and options are those of `serve`."
    ),
)
@click.version_option(__version__, prog_name="mockbroker")
def commands() -> None:
    """Group the commands."""


def _as_click(row: OptionRow) -> click.Option:
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


def _serve(**values: Any) -> None:
    from mockbroker.serve import serve

    options = ServeOptions()
    for row in OPTIONS:
        value = values[row.target]
        if value is not None:
            setattr(options, row.target, list(value) if row.is_many else value)
    sys.exit(serve(options))


commands.add_command(
    click.Command(
        "serve",
        params=[_as_click(row) for row in OPTIONS],
        callback=_serve,
        help="Start a cluster and serve it until it is told to stop.",
        short_help="Start a cluster.",
    )
)
commands.add_command(decode)
commands.add_command(apis)
