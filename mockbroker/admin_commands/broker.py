"""The command `mockbroker broker`: brokers, one by one."""

import click

from mockbroker.admin_client import AdminClient, path_to
from mockbroker.admin_commands.asking import DefaultingGroup, asking
from mockbroker.admin_commands.tables import brokers_table
from mockbroker.command_answer import Answer


@click.group(cls=DefaultingGroup, default="list", short_help="List, kill and start brokers.")
def broker() -> None:
    """List, kill and start brokers. Without a command they are listed."""


@broker.command("list", short_help="List all brokers.")
@asking
def list_brokers(client: AdminClient) -> Answer:
    """List all brokers."""
    found = client.get(path_to("brokers"))
    return Answer(found, brokers_table(found["brokers"]))


@broker.command(short_help="Kill a broker, as a crash does.")
@click.argument("number", metavar="BROKER", type=int)
@asking
def kill(client: AdminClient, *, number: int) -> Answer:
    """Kill a broker, as a crash does: its port closes, and its partitions elect other leaders."""
    found = client.post(path_to("brokers", number, "kill"))
    return Answer(found, brokers_table(found["brokers"]))


@broker.command(short_help="Start a broker that was killed.")
@click.argument("number", metavar="BROKER", type=int)
@asking
def start(client: AdminClient, *, number: int) -> Answer:
    """Start a broker that was killed."""
    found = client.post(path_to("brokers", number, "start"))
    return Answer(found, brokers_table(found["brokers"]))
