"""Command `mockbroker journal`: past and new events of a cluster."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

import click

from mockbroker.cli.cluster.admin_command import DefaultingGroup, admin_command, admin_errors
from mockbroker.cli.command_answer import CommandResult
from mockbroker.http.admin_client import AdminClient, path_to
from mockbroker.journal.files.jsonl import entry_of
from mockbroker.journal.files.lines import journal_lines
from mockbroker.journal.record_identity import FORMS

SELECTORS: Final[Mapping[str, str]] = {
    "kind": "Kind of entry: request, answer, append, marker, transaction, ...",
    "api": "Kafka's name of the API, such as Produce.",
    "version": "Version of the request.",
    "broker": "Id of the broker.",
    "connection": "Number of the connection.",
    "client_id": "Client id.",
    "principal": "Principal of the client, such as User:alice.",
    "group": "Group id.",
    "transactional_id": "Transactional id.",
    "topic": "Topic.",
    "partition": "Index of the partition.",
    "producer_id": "Producer id.",
    "producer_epoch": "Producer epoch.",
    "base_sequence": "First sequence of a batch.",
    "error": "Name of an error code.",
    "rule": "Name of a fault.",
    "call": "Number of a request; its effects have the same number.",
}
"""Columns by which entries are selected."""


@click.group(cls=DefaultingGroup, default="show", short_help="Show and follow events.")
def journal() -> None:
    """Show the events of a cluster, and follow new ones.

    The default command is `show`. First turn the journal on: `mockbroker journal on`.
    """


def _selected(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add an option for each column by which entries are selected."""
    for name, about in reversed(list(SELECTORS.items())):
        command = click.option(f"--{name.replace('_', '-')}", metavar="VALUE", help=about)(command)
    return command


@journal.command(short_help="Show entries.")
@click.option("-f", "--follow", is_flag=True, help="Print new entries until interrupted.")
@click.option("--after", type=int, metavar="NUMBER", help="Start after the entry of this number.")
@click.option("--limit", type=int, default=40, metavar="N", help="Maximum number of entries (40).")
@_selected
@admin_command
def show(
    client: AdminClient, *, follow: bool, after: int | None, limit: int, **selectors: str | None
) -> CommandResult:
    """Show the last entries, or the first ones after an entry, that match all selectors."""
    query = {**selectors, "after": after, "limit": limit}
    document = client.get(path_to("journal"), query)
    entries: list[dict[str, Any]] = document["entries"]
    if not follow:
        return CommandResult(document, _lines(entries))
    followed = _followed(client, entries, {**selectors, "after": after})
    # The output iterates over only one of the two: it is the same stream.
    return CommandResult({}, _lines(followed), stream=followed)


@journal.command(short_help="Start to record events.")
@click.option("--entries-max", type=int, metavar="N", help="Maximum number of entries in memory.")
@click.option("--identity", metavar="ID", help=f"What identifies a record: {FORMS}.")
@admin_command
def on(client: AdminClient, *, entries_max: int | None, identity: str | None) -> CommandResult:
    """Start to record events."""
    options = {"entries_max": entries_max, "identity": identity}
    document = client.put(path_to("journal"), {"on": True, **options})
    return CommandResult(document, ["the journal is on"])


@journal.command(short_help="Stop recording events.")
@admin_command
def off(client: AdminClient) -> CommandResult:
    """Stop recording events; recorded entries can still be shown."""
    return CommandResult(client.put(path_to("journal"), {"on": False}), ["the journal is off"])


@journal.command(short_help="Delete all entries.")
@admin_command
def clear(client: AdminClient) -> CommandResult:
    """Delete all entries."""
    return CommandResult(client.delete(path_to("journal")), ["the journal is empty"])


def _followed(
    client: AdminClient, shown: list[dict[str, Any]], query: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield the entries that were found, and then new ones."""
    yield from shown
    after = shown[-1]["seq"] if shown else query["after"] or 0
    with admin_errors():
        yield from client.events(path_to("events"), {**query, "after": after})


def _lines(entries: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for entry in entries:
        yield from journal_lines([entry_of(json.dumps(entry))])
