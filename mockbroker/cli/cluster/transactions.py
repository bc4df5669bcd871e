"""The command `mockbroker txns`: transactional ids and their transactions."""

import click

from mockbroker.cli.cluster.admin_client import AdminClient, path_to
from mockbroker.cli.cluster.asking import DefaultingGroup, PartitionName, asking
from mockbroker.cli.cluster.tables import hanging_table, transactions_table
from mockbroker.cli.command_answer import EXIT_FAILED, Answer


@click.group(cls=DefaultingGroup, default="list", short_help="Show and end transactions.")
def transactions() -> None:
    """Show the transactional ids that coordinators know, and end their transactions.

    Without a command they are listed.
    """


@transactions.command("list", short_help="List all transactional ids.")
@asking
def list_transactions(client: AdminClient) -> Answer:
    """List all transactional ids."""
    found = client.get(path_to("transactions"))
    rows = found["transactions"]
    return Answer(found, transactions_table(rows) if rows else ["no transactional id is known"])


@transactions.command(short_help="Show one transactional id.")
@click.argument("transactional_id")
@asking
def show(client: AdminClient, *, transactional_id: str) -> Answer:
    """Show one transactional id."""
    found = client.get(path_to("transactions", transactional_id))
    return Answer(found, transactions_table([found]))


@transactions.command(short_help="List transactions that nobody will end.")
@asking
def hanging(client: AdminClient) -> Answer:
    """List the transactions that are open in a partition and that nobody will ever end.

    The exit code is 1 when there are any.
    """
    found = client.get(path_to("hanging"))
    rows = found["hanging"]
    lines = hanging_table(rows) if rows else ["nothing hangs"]
    return Answer(found, lines, exit_code=EXIT_FAILED if rows else 0)


@transactions.command(short_help="Abort the open transaction of an id.")
@click.argument("transactional_id")
@asking
def abort(client: AdminClient, *, transactional_id: str) -> Answer:
    """Abort an open transaction over its producer's head, as its coordinator does for its age."""
    found = client.post(path_to("transactions", transactional_id, "abort"))
    return Answer(found, transactions_table([found]))


@transactions.command(short_help="Forget a transactional id.")
@click.argument("transactional_id")
@asking
def expire(client: AdminClient, *, transactional_id: str) -> Answer:
    """Forget a transactional id as transactional.id.expiration.ms does, without its time."""
    found = client.post(path_to("transactions", transactional_id, "expire"))
    return Answer(found, [f"{transactional_id} is forgotten"])


@transactions.command(short_help="Hold what follows the next decision.")
@click.argument("transactional_id")
@click.option("--at", "where", type=PartitionName(index_required=True), help="One marker alone.")
@asking
def hold_ending(
    client: AdminClient, *, transactional_id: str, where: tuple[str, int] | None
) -> Answer:
    """Hold what follows the next commit or abort: its markers, and the record that it is over."""
    topic, partition = where or (None, None)
    said = {"topic": topic, "partition": partition}
    found = client.post(path_to("transactions", transactional_id, "hold-ending"), said)
    return Answer(found, [f"the next ending of {transactional_id} is held"])


@transactions.command(short_help="Do the next of what is held.")
@click.argument("transactional_id")
@asking
def step(client: AdminClient, *, transactional_id: str) -> Answer:
    """Do the next of what is held: a marker, or the record that the transaction is over."""
    found = client.post(path_to("transactions", transactional_id, "step"))
    return Answer(found, [found["done"] or "nothing is held"])


@transactions.command(short_help="Let all that is held happen.")
@click.argument("transactional_id")
@asking
def release(client: AdminClient, *, transactional_id: str) -> Answer:
    """Hold nothing any more: what was held happens."""
    found = client.post(path_to("transactions", transactional_id, "release"))
    return Answer(found, [f"nothing of {transactional_id} is held"])
