"""Commands `mockbroker topic` and `mockbroker partition`: topics, replicas and logs."""

import click

from mockbroker.cli.cluster.admin_command import (
    DefaultingGroup,
    NameAndValue,
    PartitionName,
    admin_command,
)
from mockbroker.cli.cluster.tables import partitions_table, topics_table
from mockbroker.cli.command_answer import CommandResult
from mockbroker.http.admin_client import AdminClient, path_to

_where = click.argument("where", metavar="TOPIC:PARTITION", type=PartitionName(index_required=True))
_internal = click.option("--internal", is_flag=True, help="Show Kafka's internal topics as well.")


@click.group(cls=DefaultingGroup, default="list", short_help="List and create topics.")
def topic() -> None:
    """List, create and recreate topics, and append records. The default command is `list`."""


@topic.command("list", short_help="List all topics.")
@_internal
@admin_command
def list_topics(client: AdminClient, *, internal: bool) -> CommandResult:
    """List all topics."""
    topics = _topics(client, internal=internal)
    return CommandResult({"topics": topics}, topics_table(topics))


@topic.command(short_help="Create a topic.")
@click.argument("name", metavar="TOPIC[:PARTITIONS]")
@click.option("--partitions", type=int, metavar="N", help="Number of partitions (1).")
@click.option(
    "--replication-factor", type=int, metavar="N", help="Replicas (default.replication.factor)."
)
@click.option(
    "-c",
    "--config",
    "configs",
    type=NameAndValue(),
    multiple=True,
    metavar="KEY=VALUE",
    help="A config.",
)
@admin_command
def create(
    client: AdminClient,
    *,
    name: str,
    partitions: int | None,
    replication_factor: int | None,
    configs: tuple[tuple[str, str], ...],
) -> CommandResult:
    """Create a topic."""
    name, separator, count = name.partition(":")  # as `--topic` of `serve`
    if separator and (partitions is not None or not count.isdecimal()):
        raise click.UsageError(
            f"{name}:{count} is not NAME:PARTITIONS, or --partitions is given too"
        )
    if partitions is None:
        partitions = int(count or 1)
    new_topic = {
        "name": name,
        "partitions": partitions,
        "replication_factor": replication_factor,
        "config": dict(configs),
    }
    created = client.post(path_to("topics"), new_topic)
    return CommandResult(created, topics_table([created]))


@topic.command(short_help="Append a record without a client.")
@click.argument("name", metavar="TOPIC")
@click.argument("value")
@click.option("--key", metavar="TEXT", help="The key, which chooses the partition.")
@click.option(
    "--header",
    "headers",
    type=NameAndValue(),
    multiple=True,
    metavar="NAME=VALUE",
    help="A header; may be given again.",
)
@click.option("--partition", type=int, metavar="N", help="The partition.")
@click.option("--timestamp-ms", type=int, metavar="MS", help="The timestamp (now).")
@admin_command
def append(
    client: AdminClient,
    *,
    name: str,
    value: str,
    key: str | None,
    headers: tuple[tuple[str, str], ...],
    partition: int | None,
    timestamp_ms: int | None,
) -> CommandResult:
    """Append a record without a client, as a producer with acks=1."""
    record = {
        "value": value,
        "key": key,
        "headers": [{"key": each, "value": text} for each, text in headers],
        "partition": partition,
        "timestamp_ms": timestamp_ms,
    }
    appended = client.post(path_to("topics", name, "records"), record)
    where = f"{appended['topic']}:{appended['partition']}"
    return CommandResult(appended, [f"appended at offset {appended['offset']} of {where}"])


@topic.command(short_help="Delete a topic and create it again.")
@click.argument("name", metavar="TOPIC")
@click.option("--partitions", type=int, metavar="N", help="Number of partitions (unchanged).")
@click.option("--start-offset", type=int, default=0, metavar="OFFSET", help="First offset (0).")
@admin_command
def recreate(
    client: AdminClient, *, name: str, partitions: int | None, start_offset: int
) -> CommandResult:
    """Delete a topic and create it again: the same name, another id, and empty logs."""
    recreation = {"partitions": partitions, "start_offset": start_offset}
    recreated = client.post(path_to("topics", name, "recreate"), recreation)
    return CommandResult(recreated, topics_table([recreated]))


@click.group(
    cls=DefaultingGroup, default="list", short_help="Let replicas lag, lose a tail, compact."
)
def partition() -> None:
    """Show partitions, let replicas lag and catch up, and lose records or producers.

    The default command is `list`.
    """


@partition.command("list", short_help="List all partitions.")
@_internal
@admin_command
def list_partitions(client: AdminClient, *, internal: bool) -> CommandResult:
    """List all partitions."""
    topics = _topics(client, internal=internal)
    return CommandResult({"topics": topics}, partitions_table(topics))


@partition.command(short_help="Stop a replica's fetches from the leader.")
@_where
@click.argument("broker", type=int)
@admin_command
def lag(client: AdminClient, *, where: tuple[str, int], broker: int) -> CommandResult:
    """Stop a replica's fetches from the leader, while it stays in sync."""
    return _control(client, where, "lag", {"broker": broker})


@partition.command(short_help="Remove a replica from the in-sync replicas.")
@_where
@click.argument("broker", type=int)
@admin_command
def lose_replica(client: AdminClient, *, where: tuple[str, int], broker: int) -> CommandResult:
    """Remove a replica from the in-sync replicas."""
    return _control(client, where, "lose-replica", {"broker": broker})


@partition.command(short_help="Let replicas catch up.")
@_where
@click.argument("broker", type=int, required=False)
@admin_command
def catch_up(client: AdminClient, *, where: tuple[str, int], broker: int | None) -> CommandResult:
    """Let one replica, or all whose brokers run, catch up and be in sync again."""
    return _control(client, where, "catch-up", {"broker": broker})


@partition.command(short_help="Lose the last records.")
@_where
@click.option(
    "--records",
    type=int,
    default=1,
    metavar="N",
    help="Number of records (1), rounded up to whole batches.",
)
@admin_command
def lose_tail(client: AdminClient, *, where: tuple[str, int], records: int) -> CommandResult:
    """Lose the last records of all replicas, as when all brokers crash before a flush."""
    return _control(client, where, "lose-tail", {"records": records})


@partition.command(short_help="Delete the first records.")
@_where
@click.argument("before", metavar="[OFFSET]", type=int, required=False)
@admin_command
def delete_records(
    client: AdminClient, *, where: tuple[str, int], before: int | None
) -> CommandResult:
    """Delete the records before an offset, or all records, as DeleteRecords does."""
    deleted = client.delete(_path(where, "records"), {"before": before})
    return CommandResult(deleted, [f"{_name(where)} starts at {deleted['log_start_offset']}"])


@partition.command(short_help="Move the log start offset.")
@_where
@click.argument("to", metavar="OFFSET", type=int)
@admin_command
def move_log_start(client: AdminClient, *, where: tuple[str, int], to: int) -> CommandResult:
    """Move the log start offset, as retention does."""
    return _control(client, where, "move-log-start", {"to": to})


@partition.command(short_help="Compact the log.")
@_where
@admin_command
def compact(client: AdminClient, *, where: tuple[str, int]) -> CommandResult:
    """Compact the log, as one run of Kafka's log cleaner does."""
    compacted = client.post(_path(where, "compact"))
    return CommandResult(compacted, [f"removed {compacted['removed']} records of {_name(where)}"])


@partition.command(short_help="Forget a producer.")
@_where
@click.argument("producer_id", type=int)
@admin_command
def forget_producer(
    client: AdminClient, *, where: tuple[str, int], producer_id: int
) -> CommandResult:
    """Forget a producer, as producer.id.expiration.ms does."""
    forgotten = client.post(_path(where, "forget-producer"), {"producer_id": producer_id})
    verb = "forgot" if forgotten["was_known"] else "did not know"
    return CommandResult(forgotten, [f"{_name(where)} {verb} producer {producer_id}"])


def _topics(client: AdminClient, *, internal: bool) -> list[dict[str, object]]:
    topics = client.get(path_to("topics"))["topics"]
    return [each for each in topics if internal or not each["is_internal"]]


def _name(where: tuple[str, int]) -> str:
    topic, index = where
    return f"{topic}:{index}"


def _path(where: tuple[str, int], action: str) -> str:
    topic, index = where
    return path_to("topics", topic, "partitions", index, action)


def _control(
    client: AdminClient, where: tuple[str, int], action: str, document: dict[str, int | None]
) -> CommandResult:
    topic, _ = where
    changed = client.post(_path(where, action), document)
    return CommandResult(changed, partitions_table([{"name": topic, "partitions": [changed]}]))
