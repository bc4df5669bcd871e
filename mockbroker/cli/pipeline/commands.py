"""The pipeline's commands in click's terms."""

from collections.abc import Mapping
from typing import ClassVar, Final

import click

from mockbroker.cli.commands import HELP, LateCommands
from mockbroker.version import __version__

COMMANDS: Final[Mapping[str, tuple[str, str]]] = {
    "audit": ("mockbroker.cli.pipeline.audit_command", "audit_command"),
    "load": ("mockbroker.cli.pipeline.load_command", "load_command"),
    "package": ("mockbroker.cli.pipeline.package_command", "package_command"),
}
"""Each command's module, and its name there, in the order in which help shows them."""


class PipelineCommands(LateCommands):
    """The group of them, each imported when it is asked for."""

    table: ClassVar = COMMANDS


@click.group(
    cls=PipelineCommands,
    context_settings={"help_option_names": HELP, "max_content_width": 100},
    help="What PySpark does for mockbroker: prove, at any size, that a log is exactly-once.",
)
@click.version_option(__version__, prog_name="mockbroker")
def commands() -> None:
    """Group the commands."""
