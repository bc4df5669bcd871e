"""Commands `mockbroker broker` and `mockbroker elect`: brokers, leaders and coordinators."""

from typing import Any

import click

from mockbroker.cli.cluster.admin_command import DefaultingGroup, PartitionName, admin_command
from mockbroker.cli.cluster.tables import brokers_table
from mockbroker.cli.command_answer import CommandResult
from mockbroker.http.admin_client import AdminClient, path_to
from mockbroker.state.producer.producer_recovery import KEPT_SNAPSHOTS

_number = click.argument("number", metavar="BROKER", type=int)


@click.group(
    cls=DefaultingGroup, default="list", short_help="List, kill, start and isolate brokers."
)
def broker() -> None:
    """List, kill, start and isolate brokers. The default command is `list`."""


@broker.command("list", short_help="List all brokers.")
@admin_command
def list_brokers(client: AdminClient) -> CommandResult:
    """List all brokers."""
    return _brokers(client.get(path_to("brokers")))


@broker.command(short_help="Kill a broker, as a crash does.")
@_number
@admin_command
def kill(client: AdminClient, *, number: int) -> CommandResult:
    """Kill a broker as `kill -9` does: its port closes, and its partitions elect other leaders."""
    return _control(client, number, "kill")


@broker.command(short_help="Stop a broker in a controlled way.")
@_number
@admin_command
def stop(client: AdminClient, *, number: int) -> CommandResult:
    """Stop a broker in a controlled way, after it wrote its checkpoints and snapshots."""
    return _control(client, number, "stop")


@broker.command(short_help="Start a killed or stopped broker.")
@_number
@click.option(
    "--producer-snapshot",
    type=click.Choice(KEPT_SNAPSHOTS),
    help="The producer snapshot that it loads (full after a stop, stale after a kill).",
)
@admin_command
def start(client: AdminClient, *, number: int, producer_snapshot: str | None) -> CommandResult:
    """Start a killed or stopped broker at the same port, with the logs that it had."""
    return _control(client, number, "start", {"producer_snapshot": producer_snapshot})


@broker.command(short_help="Stop a broker's fetches from all leaders.")
@_number
@admin_command
def lag(client: AdminClient, *, number: int) -> CommandResult:
    """Stop a broker's fetches from all leaders, while its replicas stay in sync for a time."""
    return _control(client, number, "lag")


@broker.command(short_help="Let a broker fetch again.")
@_number
@admin_command
def catch_up(client: AdminClient, *, number: int) -> CommandResult:
    """Let a broker fetch from all leaders again, and its replicas be in sync."""
    return _control(client, number, "catch-up")


@broker.command(short_help="Isolate a broker from all others.")
@_number
@admin_command
def isolate(client: AdminClient, *, number: int) -> CommandResult:
    """Isolate a broker from all others; clients still reach it, and it uses its last metadata."""
    return _control(client, number, "isolate")


@broker.command(short_help="Reconnect an isolated broker.")
@_number
@admin_command
def rejoin(client: AdminClient, *, number: int) -> CommandResult:
    """Reconnect an isolated broker to the cluster."""
    return _control(client, number, "rejoin")


@broker.command(short_help="Simulate a power failure.")
@click.argument("number", metavar="[BROKER]", type=int, required=False)
@admin_command
def crash(client: AdminClient, *, number: int | None) -> CommandResult:
    """Simulate a power failure of one broker or all of them: unflushed records are lost."""
    return _brokers(client.post(path_to("crash"), {"broker": number}))


@broker.command(short_help="Flush all logs to disk.")
@admin_command
def flush(client: AdminClient) -> CommandResult:
    """Flush all logs to disk, so that a crash loses nothing that was written before."""
    return CommandResult(client.post(path_to("flush")), ["all logs are flushed to disk"])


@click.command(short_help="Elect a leader, or move a coordinator.")
@click.argument(
    "where",
    metavar="[TOPIC:PARTITION]",
    type=PartitionName(index_required=True),
    required=False,
)
@click.option("--transactional-id", metavar="ID", help="Move the coordinator of this id instead.")
@click.option("--group", metavar="GROUP", help="Move the coordinator of this group instead.")
@click.option("--to", type=int, metavar="BROKER", help="The broker (default: the next replica).")
@click.option(
    "--producer-state", metavar="STATE", help="Producer state that the new leader has (full)."
)
@click.option(
    "--log", metavar="keep|truncate", help="Keep the new leader's log, or truncate it (keep)."
)
@click.option(
    "--log-end-offset", type=int, metavar="OFFSET", help="Log end offset of the new leader."
)
@click.option(
    "--high-watermark", type=int, metavar="OFFSET", help="High watermark of the new leader."
)
@admin_command
def elect(
    client: AdminClient,
    *,
    where: tuple[str, int] | None,
    transactional_id: str | None,
    group: str | None,
    to: int | None,
    **leader: str | int | None,
) -> CommandResult:
    """Elect a leader of a partition, or move the coordinator of a transactional id or a group."""
    if [where, transactional_id, group].count(None) != 2:
        raise click.UsageError("name one of TOPIC:PARTITION, --transactional-id and --group")
    if where is None:
        for name in (name for name, value in leader.items() if value is not None):
            raise click.UsageError(f"--{name.replace('_', '-')} goes with TOPIC:PARTITION")
        move = {"transactional_id": transactional_id, "group": group, "to": to}
        moved = client.post(path_to("coordinators", "move"), move)
        return CommandResult(
            moved, [f"broker {moved['broker']} coordinates {transactional_id or group}"]
        )
    topic, partition = where
    election = {"topic": topic, "partition": partition, "to": to, **leader}
    elected = client.post(path_to("elect"), election)
    return CommandResult(elected, [f"broker {elected['leader']} leads {topic}:{partition}"])


def _control(
    client: AdminClient, number: int, action: str, document: dict[str, Any] | None = None
) -> CommandResult:
    return _brokers(client.post(path_to("brokers", number, action), document or {}))


def _brokers(document: dict[str, Any]) -> CommandResult:
    return CommandResult(document, brokers_table(document["brokers"]))
