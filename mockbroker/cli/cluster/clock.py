"""The command `mockbroker clock`: the time of a cluster's state."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import click

from mockbroker.cli.cluster.admin_client import AdminClient, path_to
from mockbroker.cli.cluster.asking import DefaultingGroup, asking, moment
from mockbroker.cli.command_answer import Answer

_PATIENCE_S: Final = 600.0
"""Years have a hundred thousand sweeps each."""

sessions_option = click.option(
    "--keep-sessions/--end-sessions",
    default=True,
    help="Whether members of groups live on (they do).",
)


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
@sessions_option
@asking
def advance(client: AdminClient, *, by: str, keep_sessions: bool) -> Answer:
    """Let time pass at once, and say what fell due, in order."""
    said = {"by": by, "keep_sessions": keep_sessions}
    found = client.post(path_to("clock", "advance"), said, _PATIENCE_S)
    return Answer(found, _passed(found))


@clock.command("set", short_help="Let time pass until a moment.")
@click.argument("now", metavar="MOMENT")
@sessions_option
@asking
def set_clock(client: AdminClient, *, now: str, keep_sessions: bool) -> Answer:
    """Let time pass until a moment: 2026-01-08T00:00:00Z, or milliseconds since 1970."""
    moment_ms = int(now) if now.isdecimal() else now
    said = {"now": moment_ms, "keep_sessions": keep_sessions}
    found = client.put(path_to("clock"), said, _PATIENCE_S)
    return Answer(found, [_now(found)])


@clock.command(short_help="Let time stand still between jumps.")
@asking
def freeze(client: AdminClient) -> Answer:
    """Let time stand still between jumps."""
    found = client.put(path_to("clock"), {"frozen": True})
    return Answer(found, [_now(found)])


@clock.command(short_help="Let time pass by itself again.")
@asking
def resume(client: AdminClient) -> Answer:
    """Let time pass by itself again."""
    found = client.put(path_to("clock"), {"frozen": False})
    return Answer(found, [_now(found)])


def _now(found: Mapping[str, Any]) -> str:
    return f"{found['now']} ({found['mode']}, {found['ahead_ms']} ms ahead of real time)"


def _passed(found: Mapping[str, Any]) -> Iterator[str]:
    yield str(found["now"])
    for each in found["fell_due"]:
        facts = " ".join(f"{name}={value}" for name, value in each["facts"].items())
        yield f"  {moment(each['at_ms'])}  {each['kind']}  {facts}".rstrip()
