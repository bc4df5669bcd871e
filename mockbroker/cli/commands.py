"""Group of all commands, which imports each command when it is used."""

import sys
from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

import click

from mockbroker.cli import EXIT_INTERRUPTED
from mockbroker.cli.command_answer import CommandError
from mockbroker.errors import nearest_name, plain_name
from mockbroker.version import __version__

COMMANDS: Final[Mapping[str, tuple[str, str]]] = {
    "serve": ("mockbroker.cli.serve_command", "serve_command"),
    "run": ("mockbroker.cli.run_command", "run_command"),
    "explore": ("mockbroker.cli.explore.explore_command", "explore_command"),
    "check": ("mockbroker.cli.scenario.check_command", "check"),
    "record": ("mockbroker.cli.scenario.record_command", "record"),
    "ready": ("mockbroker.cli.cluster.whole_cluster", "ready"),
    "state": ("mockbroker.cli.cluster.whole_cluster", "state"),
    "txns": ("mockbroker.cli.cluster.transactions", "transactions"),
    "groups": ("mockbroker.cli.cluster.groups", "groups"),
    "producers": ("mockbroker.cli.cluster.transactions", "producers"),
    "log": ("mockbroker.cli.cluster.log", "log"),
    "faults": ("mockbroker.cli.cluster.faults", "faults"),
    "clock": ("mockbroker.cli.cluster.clock", "clock"),
    "broker": ("mockbroker.cli.cluster.brokers", "broker"),
    "elect": ("mockbroker.cli.cluster.brokers", "elect"),
    "config": ("mockbroker.cli.config_command", "config_command"),
    "topic": ("mockbroker.cli.cluster.topics", "topic"),
    "partition": ("mockbroker.cli.cluster.topics", "partition"),
    "replica": ("mockbroker.cli.cluster.replicas", "replica"),
    "journal": ("mockbroker.cli.cluster.journal", "journal"),
    "ledger": ("mockbroker.cli.cluster.ledger", "ledger"),
    "reset": ("mockbroker.cli.cluster.whole_cluster", "reset"),
    "assert": ("mockbroker.cli.cluster.assertions", "assertions"),
    "errors": ("mockbroker.cli.errors_command", "errors"),
    "audit": ("mockbroker.cli.audit.audit_command", "audit_command"),
    "load": ("mockbroker.cli.spark.load_command", "load_command"),
    "package": ("mockbroker.cli.spark.package_command", "package_command"),
    "spark": ("mockbroker.cli.spark.spark_commands", "spark"),
    "apis": ("mockbroker.cli.apis_command", "apis"),
    "diff": ("mockbroker.cli.diff_command", "diff_command"),
    "decode": ("mockbroker.cli.decode_command", "decode"),
}
"""Module and attribute of each command, in the order of the help."""

_OTHER_NAMES: Final = {
    "events": "journal",
    "partitions": "partition",
    "topics": "topic",
    "transactions": "txns",
    "verify": "audit",
}
"""Names that people try, and the commands that do it."""

HELP: Final = ["-h", "--help"]
"""Options that show the help."""


def _add_short_help(command: click.Command) -> None:
    """Let a command and its subcommands accept `-h`.

    They do not inherit it from the group: click caches what a command inherited first.
    """
    command.context_settings.setdefault("help_option_names", HELP)
    for each in command.commands.values() if isinstance(command, click.Group) else ():
        _add_short_help(each)


class LateCommands(click.Group):
    """Group that imports a command when it is used, because all of them take too long."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; None if there is none of this name."""
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name]
        command = getattr(import_module(module), name)
        assert isinstance(command, click.Command), name
        _add_short_help(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; an unknown one is refused with the nearest name."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            names = {plain_name(each): each for each in COMMANDS} | _OTHER_NAMES
            near = nearest_name(args[0], names)
            raise click.UsageError(error.message.rstrip(".") + near, ctx) from None

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command, and turn its failure or an interrupt into an exit code."""
        try:
            return super().invoke(ctx)
        except CommandError as failure:
            failure.print_and_exit()
        except KeyboardInterrupt:
            sys.exit(EXIT_INTERRUPTED)


@click.group(
    cls=LateCommands,
    context_settings={"help_option_names": HELP, "max_content_width": 100},
    help=(
        "A Kafka cluster in one process, for tests of exactly-once clients.\n\n"
        "The default command is `serve`, and takes its options."
    ),
)
@click.version_option(__version__, prog_name="mockbroker")
def commands() -> None:
    """Group the commands."""
