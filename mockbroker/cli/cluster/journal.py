"""The command `mockbroker journal`: what has happened in a cluster, and what happens."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

import click

from mockbroker.cli.cluster.admin_client import AdminClient, path_to
from mockbroker.cli.cluster.asking import DefaultingGroup, asking
from mockbroker.cli.command_answer import Answer

SELECTORS: Final[Mapping[str, str]] = {
    "kind": "What it is about: request, answer, append, marker, transaction, ...",
    "api": "Kafka's name of the API, such as Produce.",
    "version": "The version of the request.",
    "broker": "Who was asked.",
    "connection": "The number of the connection.",
    "client_id": "As the client calls itself.",
    "group": "A group's id.",
    "transactional_id": "A transactional id.",
    "topic": "A topic.",
    "partition": "A partition's number.",
    "producer_id": "A producer id.",
    "producer_epoch": "Its epoch.",
    "base_sequence": "The first sequence of a batch.",
    "error": "An error code by its name.",
    "rule": "The name of a fault.",
    "call": "The number of a request: what came of it has it, too.",
}
"""By which columns entries are chosen."""


@click.group(cls=DefaultingGroup, default="show", short_help="Show and follow what happens.")
def journal() -> None:
    """Show what has happened in a cluster, and follow what happens.

    Without a command it is shown. It has to be on: `mockbroker journal on`.
    """


def _selected(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command an option for each column by which entries are chosen."""
    for name, about in reversed(list(SELECTORS.items())):
        command = click.option(f"--{name.replace('_', '-')}", metavar="VALUE", help=about)(command)
    return command


@journal.command(short_help="Show entries.")
@click.option("-f", "--follow", is_flag=True, help="Go on with what happens, until interrupted.")
@click.option("--after", type=int, metavar="NUMBER", help="Begin behind the entry of this number.")
@click.option("--limit", type=int, default=40, metavar="N", help="Show so many entries (40).")
@_selected
@asking
def show(
    client: AdminClient, *, follow: bool, after: int | None, limit: int, **selectors: str | None
) -> Answer:
    """Show the last entries, or the first ones behind one; all that is named has to fit."""
    query = {**selectors, "after": after, "limit": limit}
    found = client.get(path_to("journal"), query)
    entries: Iterable[dict[str, Any]] = found["entries"]
    if not follow:
        return Answer(found, _lines(entries))
    coming = _followed(client, found["entries"], {**selectors, "after": after})
    # Only one of the two is gone through: there is one stream.
    return Answer({}, _lines(coming), stream=coming)


@journal.command(short_help="Begin to write down what happens.")
@click.option("--entries-max", type=int, metavar="N", help="How many entries memory holds.")
@asking
def on(client: AdminClient, *, entries_max: int | None) -> Answer:
    """Begin to write down what happens."""
    found = client.put(path_to("journal"), {"on": True, "entries_max": entries_max})
    return Answer(found, ["the journal is on"])


@journal.command(short_help="Write nothing down any more.")
@asking
def off(client: AdminClient) -> Answer:
    """Write nothing down any more; what is there can still be shown."""
    return Answer(client.put(path_to("journal"), {"on": False}), ["the journal is off"])


@journal.command(short_help="Forget all entries.")
@asking
def clear(client: AdminClient) -> Answer:
    """Forget all entries."""
    return Answer(client.delete(path_to("journal")), ["the journal is empty"])


def _followed(
    client: AdminClient, shown: list[dict[str, Any]], query: dict[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield what was found, and then what comes behind it."""
    yield from shown
    after = shown[-1]["seq"] if shown else query["after"] or 0
    yield from client.events(path_to("events"), {**query, "after": after})


def _lines(entries: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    from mockbroker.journal.files.jsonl import entry_of
    from mockbroker.journal.files.lines import journal_lines

    for entry in entries:
        yield from journal_lines([entry_of(json.dumps(entry))])
