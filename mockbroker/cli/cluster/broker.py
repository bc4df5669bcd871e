"""The command `mockbroker broker`: brokers, one by one."""

from typing import Any

import click

from mockbroker.cli.cluster.admin_client import AdminClient, path_to
from mockbroker.cli.cluster.asking import DefaultingGroup, asking
from mockbroker.cli.cluster.tables import brokers_table
from mockbroker.cli.command_answer import Answer

_number = click.argument("number", metavar="BROKER", type=int)


@click.group(
    cls=DefaultingGroup, default="list", short_help="List, kill, start and isolate brokers."
)
def broker() -> None:
    """List, kill, start and isolate brokers. Without a command they are listed."""


@broker.command("list", short_help="List all brokers.")
@asking
def list_brokers(client: AdminClient) -> Answer:
    """List all brokers."""
    return _shown(client.get(path_to("brokers")))


@broker.command(short_help="Kill a broker, as a crash does.")
@_number
@asking
def kill(client: AdminClient, *, number: int) -> Answer:
    """Kill a broker as `kill -9` does: its port closes, and its partitions elect other leaders."""
    return _done(client, number, "kill")


@broker.command(short_help="Start a broker that was killed.")
@_number
@asking
def start(client: AdminClient, *, number: int) -> Answer:
    """Start a broker that was killed, at the same port and with the logs that it had."""
    return _done(client, number, "start")


@broker.command(short_help="Cut a broker off from all others.")
@_number
@asking
def isolate(client: AdminClient, *, number: int) -> Answer:
    """Cut a broker off from all others; clients still reach it, and it goes on by what it knows."""
    return _done(client, number, "isolate")


@broker.command(short_help="Take an isolated broker back.")
@_number
@asking
def rejoin(client: AdminClient, *, number: int) -> Answer:
    """Let a broker that is isolated be part of the cluster again."""
    return _done(client, number, "rejoin")


@broker.command(short_help="Have the power fail.")
@click.argument("number", metavar="[BROKER]", type=int, required=False)
@asking
def crash(client: AdminClient, *, number: int | None) -> Answer:
    """Let a broker, or all of them, die as when the power fails: what no disk has is lost."""
    return _shown(client.post(path_to("crash"), {"broker": number}))


@broker.command(short_help="Have disks hold what was written.")
@asking
def flush(client: AdminClient) -> Answer:
    """Write every log to disk, so that a crash loses nothing of what is there now."""
    return Answer(client.post(path_to("flush")), ["disks hold what was written"])


def _done(client: AdminClient, number: int, verb: str) -> Answer:
    return _shown(client.post(path_to("brokers", number, verb)))


def _shown(found: dict[str, Any]) -> Answer:
    return Answer(found, brokers_table(found["brokers"]))
