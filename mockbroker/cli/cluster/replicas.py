"""Command `mockbroker replica`: what each replica of a partition has, and how they differ."""

from typing import Any

import click

from mockbroker.cli.cluster.admin_command import DefaultingGroup, PartitionName, admin_command
from mockbroker.cli.cluster.tables import replicas_table
from mockbroker.cli.command_answer import CommandResult
from mockbroker.http.admin_client import AdminClient, path_to
from mockbroker.state.producer.producer_recovery import KEPT_SNAPSHOTS

_where = click.argument("where", metavar="TOPIC:PARTITION", type=PartitionName(index_required=True))
_broker = click.argument("broker", type=int)


@click.group(cls=DefaultingGroup, default="list", short_help="Show replicas, and make one differ.")
def replica() -> None:
    """Show the replicas of a partition, and make one differ from the others.

    The default command is `list`.
    """


@replica.command("list", short_help="List the replicas of a partition.")
@_where
@admin_command
def list_replicas(client: AdminClient, *, where: tuple[str, int]) -> CommandResult:
    """List the replicas of a partition, with the offsets and producers of their own logs."""
    found = client.get(_path(where))
    return CommandResult(found, replicas_table(found["replicas"]))


@replica.command(short_help="Keep a follower's log start and high watermark.")
@_where
@_broker
@admin_command
def hold_offsets(client: AdminClient, *, where: tuple[str, int], broker: int) -> CommandResult:
    """Keep a follower's log start offset and high watermark, while it goes on to copy records."""
    return _control(client, where, broker, "hold-offsets")


@replica.command(short_help="Let the leader's offsets arrive again.")
@_where
@_broker
@admin_command
def release_offsets(client: AdminClient, *, where: tuple[str, int], broker: int) -> CommandResult:
    """Let the leader's log start offset and high watermark arrive again."""
    return _control(client, where, broker, "release-offsets")


@replica.command(short_help="Move the log start offset of one replica.")
@_where
@_broker
@click.argument("to", metavar="OFFSET", type=int)
@admin_command
def move_log_start(
    client: AdminClient, *, where: tuple[str, int], broker: int, to: int
) -> CommandResult:
    """Move the log start offset of one replica alone, also back to records that are stored."""
    return _control(client, where, broker, "move-log-start", {"to": to})


@replica.command(short_help="Reload the producers of one replica.")
@_where
@_broker
@click.option(
    "--snapshot",
    type=click.Choice(KEPT_SNAPSHOTS),
    default="full",
    help="The producer snapshot that it loads (full).",
)
@admin_command
def reload_producers(
    client: AdminClient, *, where: tuple[str, int], broker: int, snapshot: str
) -> CommandResult:
    """Reload the producers of one replica, as its broker does when it restarts."""
    return _control(client, where, broker, "reload-producers", {"snapshot": snapshot})


@replica.command(short_help="Forget a producer in one replica.")
@_where
@_broker
@click.argument("producer_id", type=int)
@admin_command
def forget_producer(
    client: AdminClient, *, where: tuple[str, int], broker: int, producer_id: int
) -> CommandResult:
    """Forget a producer in one replica alone."""
    document = {"producer_id": producer_id}
    forgotten = client.post(_path(where, broker, "forget-producer"), document)
    verb = "forgot" if forgotten["was_known"] else "did not know"
    topic, index = where
    lines = [f"broker {broker} {verb} producer {producer_id} in {topic}:{index}"]
    return CommandResult(forgotten, lines)


def _control(
    client: AdminClient,
    where: tuple[str, int],
    broker: int,
    action: str,
    document: dict[str, Any] | None = None,
) -> CommandResult:
    changed = client.post(_path(where, broker, action), document or {})
    return CommandResult(changed, replicas_table([changed]))


def _path(where: tuple[str, int], *more: int | str) -> str:
    topic, index = where
    return path_to("topics", topic, "partitions", index, "replicas", *more)
