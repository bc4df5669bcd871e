"""Commands on a whole cluster: `mockbroker ready`, `mockbroker state` and `mockbroker reset`."""

import time
from collections.abc import Iterator, Mapping
from typing import Any, Final

import click

from mockbroker.cli import EXIT_TIMED_OUT
from mockbroker.cli.cluster.admin_command import MILLISECONDS, admin_command
from mockbroker.cli.cluster.tables import (
    brokers_table,
    faults_table,
    hanging_table,
    partitions_table,
    transactions_table,
)
from mockbroker.cli.command_answer import CommandError, CommandResult
from mockbroker.http.admin_client import AdminClient, AdminRequestError, path_to
from mockbroker.settings.duration import milliseconds

_READY_TIMEOUT_S: Final = 2.0
_RETRY_PAUSE_S: Final = 0.02


@click.command(short_help="Check whether a cluster is ready.")
@click.option(
    "--timeout", default="0ms", metavar="TIME", help="Wait up to this time: 10s (do not wait)."
)
@admin_command
def ready(client: AdminClient, *, timeout: str) -> CommandResult:
    """Check whether a cluster is ready: it answers requests, and all its listeners are open.

    The exit code is 0 if it is ready, 3 if it does not answer, and 4 if the timeout expired.
    """
    try:
        timeout_ms = milliseconds(timeout)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="'--timeout'") from None
    deadline_s = time.monotonic() + timeout_ms / MILLISECONDS
    while True:
        try:
            return CommandResult(client.get("/readyz", timeout_s=_READY_TIMEOUT_S), ["ready"])
        except AdminRequestError as error:
            if error.kind != "unreachable" or not timeout_ms:
                raise
            if time.monotonic() >= deadline_s:
                why = f"not ready within {timeout}: {error.why}"
                raise CommandError(why, EXIT_TIMED_OUT) from None
        time.sleep(_RETRY_PAUSE_S)


@click.command(short_help="Show a cluster: brokers, topics, transactions, faults.")
@click.option("--internal", is_flag=True, help="Show Kafka's internal topics as well.")
@admin_command
def state(client: AdminClient, *, internal: bool) -> CommandResult:
    """Show a cluster: its brokers, topics, transactions, hanging transactions and faults."""
    document = client.get(path_to("state"))
    return CommandResult(document, _state_tables(document, internal=internal))


@click.command(short_help="Return a cluster to its initial state.")
@admin_command
def reset(client: AdminClient) -> CommandResult:
    """Return topics, logs, groups, transactions, faults and clock to their initial state."""
    return CommandResult(client.post(path_to("reset")), ["the cluster is in its initial state"])


def _state_tables(document: Mapping[str, Any], *, internal: bool) -> Iterator[str]:
    cluster = document["cluster"]
    yield f"Kafka {cluster['kafka']} at {cluster['bootstrap_servers']}"
    yield f"clock {cluster['clock']['now']}"
    yield ""
    yield from brokers_table(document["brokers"])
    topics = [each for each in document["topics"] if internal or not each["is_internal"]]
    for rows, table_of in (
        (topics, partitions_table),
        (document["transactions"], transactions_table),
        (document["hanging"], hanging_table),
        (document["faults"], faults_table),
    ):
        if rows:
            yield ""
            yield from table_of(rows)
