"""Commands `mockbroker txns` and `mockbroker producers`: transactions and producer state."""

import click

from mockbroker.cli import EXIT_FAILED
from mockbroker.cli.cluster.admin_command import DefaultingGroup, PartitionName, admin_command
from mockbroker.cli.cluster.tables import hanging_table, producers_table, transactions_table
from mockbroker.cli.command_answer import CommandResult
from mockbroker.http.admin_client import AdminClient, path_to

_transactional_id = click.argument("transactional_id")


@click.group(cls=DefaultingGroup, default="list", short_help="Show and end transactions.")
def transactions() -> None:
    """Show the transactional ids that coordinators know, and end their transactions.

    The default command is `list`.
    """


@transactions.command("list", short_help="List all transactional ids.")
@admin_command
def list_transactions(client: AdminClient) -> CommandResult:
    """List all transactional ids."""
    document = client.get(path_to("transactions"))
    rows = document["transactions"]
    return CommandResult(document, transactions_table(rows) if rows else ["no transactional ids"])


@transactions.command(short_help="Show one transactional id.")
@_transactional_id
@admin_command
def show(client: AdminClient, *, transactional_id: str) -> CommandResult:
    """Show one transactional id."""
    document = client.get(path_to("transactions", transactional_id))
    return CommandResult(document, transactions_table([document]))


@transactions.command(short_help="List hanging transactions.")
@admin_command
def hanging(client: AdminClient) -> CommandResult:
    """List hanging transactions: open in a partition, and unknown to their coordinator.

    The exit code is 1 if there are any.
    """
    document = client.get(path_to("hanging"))
    rows = document["hanging"]
    lines = hanging_table(rows) if rows else ["no hanging transactions"]
    return CommandResult(document, lines, exit_code=EXIT_FAILED if rows else 0)


@transactions.command(short_help="Abort the open transaction of an id.")
@_transactional_id
@admin_command
def abort(client: AdminClient, *, transactional_id: str) -> CommandResult:
    """Abort an open transaction, as its coordinator does when the transaction times out."""
    document = client.post(path_to("transactions", transactional_id, "abort"))
    return CommandResult(document, transactions_table([document]))


@transactions.command(short_help="Expire a transactional id.")
@_transactional_id
@admin_command
def expire(client: AdminClient, *, transactional_id: str) -> CommandResult:
    """Expire a transactional id now, as transactional.id.expiration.ms does later."""
    document = client.post(path_to("transactions", transactional_id, "expire"))
    return CommandResult(document, [f"{transactional_id} is expired"])


@transactions.command(short_help="Hold the steps after the next decision.")
@_transactional_id
@click.option("--at", "where", type=PartitionName(index_required=True), help="Hold one marker.")
@admin_command
def hold_ending(
    client: AdminClient, *, transactional_id: str, where: tuple[str, int] | None
) -> CommandResult:
    """Hold the steps after the next commit or abort: its markers and its completion record."""
    topic, partition = where or (None, None)
    document = {"topic": topic, "partition": partition}
    held = client.post(path_to("transactions", transactional_id, "hold-ending"), document)
    return CommandResult(held, [f"the next ending of {transactional_id} is held"])


@transactions.command(short_help="Run the next held step.")
@_transactional_id
@admin_command
def step(client: AdminClient, *, transactional_id: str) -> CommandResult:
    """Run the next held step: write a marker or the completion record."""
    document = client.post(path_to("transactions", transactional_id, "step"))
    return CommandResult(document, [document["done"] or "nothing is held"])


@transactions.command(short_help="Run all held steps.")
@_transactional_id
@admin_command
def release(client: AdminClient, *, transactional_id: str) -> CommandResult:
    """Run all held steps, and hold no more."""
    document = client.post(path_to("transactions", transactional_id, "release"))
    return CommandResult(document, [f"nothing of {transactional_id} is held"])


@transactions.command(short_help="Delay the markers of transactions.")
@click.argument("by")
@click.option("--probability", type=float, default=1.0, help="Delay only some transactions.")
@admin_command
def delay_markers(client: AdminClient, *, by: str, probability: float) -> CommandResult:
    """Delay the markers of all transactions that end from now on; 0ms ends the delay.

    BY is a duration such as 20ms.
    """
    document = client.put(path_to("marker-delay"), {"by": by, "probability": probability})
    return CommandResult(document, [f"markers are delayed by {by}, probability {probability:g}"])


@click.command(short_help="List the producers that partitions know.")
@click.argument("where", metavar="[TOPIC[:PARTITION]]", type=PartitionName(), required=False)
@admin_command
def producers(client: AdminClient, *, where: tuple[str, int | None] | None) -> CommandResult:
    """List the producers that partitions know: epoch, last sequence, and open transactions."""
    topic, partition = where or (None, None)
    document = client.get(path_to("producers"), {"topic": topic, "partition": partition})
    rows = document["producers"]
    return CommandResult(document, producers_table(rows) if rows else ["no producers"])
