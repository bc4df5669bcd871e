"""The command `mockbroker reset`: the cluster as it was when it started."""

import click

from mockbroker.cli.cluster.admin_client import AdminClient, path_to
from mockbroker.cli.cluster.asking import asking
from mockbroker.cli.command_answer import Answer


@click.command(short_help="Put a cluster back to where it started.")
@asking
def reset(client: AdminClient) -> Answer:
    """Put a cluster back to where it started: topics, logs, groups, transactions, faults, clock."""
    return Answer(client.post(path_to("reset")), ["the cluster is as it was at its start"])
