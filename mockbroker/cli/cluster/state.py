"""The command `mockbroker state`: all of a cluster at once."""

from collections.abc import Iterator, Mapping
from typing import Any

import click

from mockbroker.cli.cluster.admin_client import AdminClient, path_to
from mockbroker.cli.cluster.asking import asking
from mockbroker.cli.cluster.tables import (
    brokers_table,
    faults_table,
    hanging_table,
    partitions_table,
    transactions_table,
)
from mockbroker.cli.command_answer import Answer


@click.command(short_help="Show a cluster: brokers, topics, transactions, faults.")
@click.option("--internal", is_flag=True, help="Show Kafka's own topics as well.")
@asking
def state(client: AdminClient, *, internal: bool) -> Answer:
    """Show a cluster: its brokers, topics, transactions and faults, and what hangs."""
    found = client.get(path_to("state"))
    return Answer(found, _lines(found, internal=internal))


def _lines(found: Mapping[str, Any], *, internal: bool) -> Iterator[str]:
    cluster = found["cluster"]
    yield f"Kafka {cluster['kafka']} at {cluster['bootstrap_servers']}"
    yield f"clock {cluster['clock']['now']}"
    yield ""
    yield from brokers_table(found["brokers"])
    topics = [each for each in found["topics"] if internal or not each["is_internal"]]
    for rows, write in (
        (topics, partitions_table),
        (found["transactions"], transactions_table),
        (found["hanging"], hanging_table),
        (found["rules"], faults_table),
    ):
        if rows:
            yield ""
            yield from write(rows)
