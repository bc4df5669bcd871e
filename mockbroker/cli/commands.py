"""The commands in click's terms: help, checked arguments, exit codes."""

import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any, ClassVar, Final

import click

from mockbroker.version import __version__

EXIT_INTERRUPTED: Final = 130

COMMANDS: Final[Mapping[str, tuple[str, str]]] = {
    "serve": ("mockbroker.cli.serve_command", "serve_command"),
    "run": ("mockbroker.cli.run_command", "run_command"),
    "ready": ("mockbroker.cli.cluster.ready", "ready"),
    "state": ("mockbroker.cli.cluster.state", "state"),
    "txns": ("mockbroker.cli.cluster.transactions", "transactions"),
    "producers": ("mockbroker.cli.cluster.producers", "producers"),
    "log": ("mockbroker.cli.cluster.log", "log"),
    "faults": ("mockbroker.cli.cluster.faults", "faults"),
    "clock": ("mockbroker.cli.cluster.clock", "clock"),
    "broker": ("mockbroker.cli.cluster.broker", "broker"),
    "elect": ("mockbroker.cli.cluster.elect", "elect"),
    "config": ("mockbroker.cli.config_command", "config_command"),
    "topic": ("mockbroker.cli.cluster.topic", "topic"),
    "partition": ("mockbroker.cli.cluster.partition", "partition"),
    "journal": ("mockbroker.cli.cluster.journal", "journal"),
    "reset": ("mockbroker.cli.cluster.reset", "reset"),
    "assert": ("mockbroker.cli.cluster.assertions", "assertions"),
    "errors": ("mockbroker.cli.errors_command", "errors"),
    "apis": ("mockbroker.cli.apis_command", "apis"),
    "decode": ("mockbroker.cli.decode_command", "decode"),
}
"""Each command's module, and its name there, in the order in which help shows them."""

HELP: Final = ["-h", "--help"]
"""What asks for help."""


def _take_short_help(command: click.Command) -> None:
    """Have a command, and those in it, know `-h` by themselves.

    What they inherit click remembers from the first time that they are asked, by whomever.
    """
    command.context_settings.setdefault("help_option_names", HELP)
    for each in command.commands.values() if isinstance(command, click.Group) else ():
        _take_short_help(each)


class LateCommands(click.Group):
    """A group that imports a command when it is asked for: the others would take longer than it."""

    table: ClassVar[Mapping[str, tuple[str, str]]] = COMMANDS

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name all commands."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; None where there is none of this name."""
        if cmd_name not in self.table:
            return None
        module, name = self.table[cmd_name]
        command = getattr(import_module(module), name)
        assert isinstance(command, click.Command), name
        _take_short_help(command)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; whoever interrupts it gets the shells' exit code for that."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            sys.exit(EXIT_INTERRUPTED)


@click.group(
    cls=LateCommands,
    context_settings={"help_option_names": HELP, "max_content_width": 100},
    help=(
        "A Kafka cluster in one process, for testing what clients do when things get hard.\n\n"
        "Without a command it starts `serve`, and options are those of `serve`."
    ),
)
@click.version_option(__version__, prog_name="mockbroker")
def commands() -> None:
    """Group the commands."""
