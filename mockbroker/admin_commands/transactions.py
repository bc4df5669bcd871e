"""The command `mockbroker txns`: transactional ids and their transactions."""

import click

from mockbroker.admin_client import AdminClient, path_to
from mockbroker.admin_commands.asking import DefaultingGroup, asking
from mockbroker.admin_commands.tables import hanging_table, transactions_table
from mockbroker.command_answer import EXIT_FAILED, Answer


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
