"""The command `mockbroker partition`: replicas that lag, records and producers that go."""

import click

from mockbroker.cli.cluster.admin_client import AdminClient, path_to
from mockbroker.cli.cluster.asking import DefaultingGroup, PartitionName, asking
from mockbroker.cli.cluster.tables import partitions_table
from mockbroker.cli.command_answer import Answer

_where = click.argument("where", metavar="TOPIC:PARTITION", type=PartitionName(index_required=True))


@click.group(
    cls=DefaultingGroup, default="list", short_help="Let replicas lag, lose a tail, compact."
)
def partition() -> None:
    """Show partitions, let replicas lag and catch up, and lose records or producers.

    Without a command they are listed.
    """


@partition.command("list", short_help="List all partitions.")
@click.option("--internal", is_flag=True, help="Show those of Kafka's own topics as well.")
@asking
def list_partitions(client: AdminClient, *, internal: bool) -> Answer:
    """List all partitions."""
    found = client.get(path_to("topics"))
    topics = [each for each in found["topics"] if internal or not each["is_internal"]]
    return Answer({"topics": topics}, partitions_table(topics))


@partition.command(short_help="Let a replica fetch no more.")
@_where
@click.argument("broker", type=int)
@asking
def lag(client: AdminClient, *, where: tuple[str, int], broker: int) -> Answer:
    """Let a replica fetch no more from the leader, while it stays in sync."""
    return _done(client, where, "lag", {"broker": broker})


@partition.command(short_help="Take a replica out of sync.")
@_where
@click.argument("broker", type=int)
@asking
def lose_replica(client: AdminClient, *, where: tuple[str, int], broker: int) -> Answer:
    """Take a replica out of sync."""
    return _done(client, where, "lose-replica", {"broker": broker})


@partition.command(short_help="Let replicas catch up.")
@_where
@click.argument("broker", type=int, required=False)
@asking
def catch_up(client: AdminClient, *, where: tuple[str, int], broker: int | None) -> Answer:
    """Let a replica catch up and be in sync again, or all whose brokers are there."""
    return _done(client, where, "catch-up", {"broker": broker})


@partition.command(short_help="Lose what was written last.")
@_where
@click.option("--records", type=int, default=1, metavar="N", help="So many (1); batches go whole.")
@asking
def lose_tail(client: AdminClient, *, where: tuple[str, int], records: int) -> Answer:
    """Lose the last records of all replicas, as when all brokers crash before a flush."""
    return _done(client, where, "lose-tail", {"records": records})


@partition.command(short_help="Delete records from the start on.")
@_where
@click.argument("before", metavar="[OFFSET]", type=int, required=False)
@asking
def delete_records(client: AdminClient, *, where: tuple[str, int], before: int | None) -> Answer:
    """Delete the records before an offset, as DeleteRecords does, or all of them."""
    found = client.delete(_path(where, "records"), {"before": before})
    return Answer(found, [f"{_name(where)} starts at {found['log_start_offset']}"])


@partition.command(short_help="Let the log start later.")
@_where
@click.argument("to", metavar="OFFSET", type=int)
@asking
def move_log_start(client: AdminClient, *, where: tuple[str, int], to: int) -> Answer:
    """Let the log start at an offset, as retention does."""
    return _done(client, where, "move-log-start", {"to": to})


@partition.command(short_help="Compact the log.")
@_where
@asking
def compact(client: AdminClient, *, where: tuple[str, int]) -> Answer:
    """Compact the log as a round of Kafka's cleaner does."""
    found = client.post(_path(where, "compact"))
    return Answer(found, [f"{found['removed']} records of {_name(where)} are gone"])


@partition.command(short_help="Forget a producer.")
@_where
@click.argument("producer_id", type=int)
@asking
def forget_producer(client: AdminClient, *, where: tuple[str, int], producer_id: int) -> Answer:
    """Forget a producer, as producer.id.expiration.ms does."""
    found = client.post(_path(where, "forget-producer"), {"producer_id": producer_id})
    known = "forgot" if found["was_known"] else "did not know"
    return Answer(found, [f"{_name(where)} {known} producer {producer_id}"])


def _name(where: tuple[str, int]) -> str:
    topic, index = where
    return f"{topic}:{index}"


def _path(where: tuple[str, int], verb: str) -> str:
    topic, index = where
    return path_to("topics", topic, "partitions", index, verb)


def _done(
    client: AdminClient, where: tuple[str, int], verb: str, said: dict[str, int | None]
) -> Answer:
    topic, _ = where
    found = client.post(_path(where, verb), said)
    return Answer(found, partitions_table([{"name": topic, "partitions": [found]}]))
