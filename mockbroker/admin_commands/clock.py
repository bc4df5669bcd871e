"""The command `mockbroker clock`: the time of a cluster's state."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import click

from mockbroker.admin_client import AdminClient, path_to
from mockbroker.admin_commands.asking import DefaultingGroup, asking
from mockbroker.command_answer import Answer


@click.group(cls=DefaultingGroup, default="show", short_help="Read the clock, and let time pass.")
def clock() -> None:
    """Read the clock of a cluster's state, and let time pass. Without a command it is shown."""


@clock.command(short_help="Show the time.")
@asking
def show(client: AdminClient) -> Answer:
    """Show the time."""
    found = client.get(path_to("clock"))
    return Answer(found, [_now(found)])


@clock.command(short_help="Let time pass: 7d, 12h, 30m, 90s or 250ms.")
@click.argument("by", metavar="TIME")
@click.option(
    "--keep-sessions/--end-sessions",
    default=True,
    help="Whether members of groups live on (they do).",
)
@asking
def advance(client: AdminClient, *, by: str, keep_sessions: bool) -> Answer:
    """Let time pass at once, and say what fell due; with --json each time, in order."""
    said = {"by": by, "keep_sessions": keep_sessions}
    found = client.post(path_to("clock", "advance"), said)
    return Answer(found, _passed(found))


def _now(found: Mapping[str, Any]) -> str:
    return f"{found['now']} ({mode})" if (mode := found.get("mode")) else str(found["now"])


def _passed(found: Mapping[str, Any]) -> Iterator[str]:
    yield _now(found)
    for name, count in Counter[str](found["done"]).items():
        yield f"  {name}" + (f", {count} times" if count > 1 else "")
    if found["transactional_ids"]:
        yield f"expired: {', '.join(found['transactional_ids'])}"
