"""Command `mockbroker ledger`: the recording of batches that assertions read."""

from collections.abc import Iterator, Mapping
from typing import Any

import click

from mockbroker.cli.cluster.admin_command import DefaultingGroup, admin_command
from mockbroker.cli.command_answer import CommandResult
from mockbroker.http.admin_client import AdminClient, path_to


@click.group(cls=DefaultingGroup, default="show", short_help="Show and switch the ledger.")
def ledger() -> None:
    """Show the ledger of a cluster, and turn it on and off.

    It has a row for each batch that clients sent, and `mockbroker assert` reads it. `mockbroker
    serve` begins one with room for 20,000 batches (--ledger-rows). The default command is `show`.
    """


@ledger.command(short_help="Show how full it is.")
@admin_command
def show(client: AdminClient) -> CommandResult:
    """Show how full the ledger is."""
    return _answer(client.get(path_to("ledger")))


@ledger.command(short_help="Start a new ledger.")
@click.option("--rows", type=click.IntRange(1), metavar="N", help="Room for N batches (1000000).")
@admin_command
def on(client: AdminClient, *, rows: int | None) -> CommandResult:
    """Record batches from now on in a new ledger; the rows of an earlier one are deleted."""
    before = client.get(path_to("ledger"))["rows"]
    view = client.put(path_to("ledger"), {"on": True, "rows_max": rows})
    deleted = [f"rows of the ledger before, now deleted: {before}"] if before else []
    return CommandResult(view, [*deleted, *_lines(view)])


@ledger.command(short_help="Stop recording, and delete the rows.")
@admin_command
def off(client: AdminClient) -> CommandResult:
    """Stop recording, and delete the rows: the cluster is faster, and assertions are refused."""
    return _answer(client.put(path_to("ledger"), {"on": False}))


def _answer(view: Mapping[str, Any]) -> CommandResult:
    return CommandResult(view, _lines(view))


def _lines(view: Mapping[str, Any]) -> Iterator[str]:
    if not view["is_on"]:
        yield "the ledger is off; `mockbroker ledger on` starts one"
        return
    yield f"the ledger is on: {view['rows']} of {view['rows_max']} rows are used"
    if view["is_full"]:
        yield "it is full, and nothing more is recorded: `mockbroker ledger on --rows N`"
