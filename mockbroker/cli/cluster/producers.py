"""The command `mockbroker producers`: the producers that partitions know."""

import click

from mockbroker.cli.cluster.admin_client import AdminClient, path_to
from mockbroker.cli.cluster.asking import PartitionName, asking
from mockbroker.cli.cluster.tables import producers_table
from mockbroker.cli.command_answer import Answer


@click.command(short_help="List the producers that partitions know.")
@click.argument("where", metavar="[TOPIC[:PARTITION]]", type=PartitionName(), required=False)
@asking
def producers(client: AdminClient, *, where: tuple[str, int | None] | None) -> Answer:
    """List the producers that partitions know: epoch, last sequence, and open transactions."""
    topic, partition = where or (None, None)
    found = client.get(path_to("producers"), {"topic": topic, "partition": partition})
    rows = found["producers"]
    return Answer(found, producers_table(rows) if rows else ["no producer is known"])
