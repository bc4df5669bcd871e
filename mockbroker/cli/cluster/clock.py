"""Command `mockbroker clock`: the time of a cluster."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import click

from mockbroker.cli.cluster.admin_command import DefaultingGroup, admin_command, utc_text
from mockbroker.cli.command_answer import CommandResult
from mockbroker.http.admin_client import AdminClient, path_to

_ADVANCE_TIMEOUT_S: Final = 600.0
"""Each simulated year runs a hundred thousand periodic tasks."""

sessions_option = click.option(
    "--keep-sessions/--end-sessions",
    default=True,
    help="Keep the sessions of group members (default), or let them expire.",
)


@click.group(cls=DefaultingGroup, default="show", short_help="Show and move the clock.")
def clock() -> None:
    """Show and move the clock of a cluster. The default command is `show`."""


@clock.command(short_help="Show the time.")
@admin_command
def show(client: AdminClient) -> CommandResult:
    """Show the time."""
    answer = client.get(path_to("clock"))
    return CommandResult(answer, [_now(answer)])


@clock.command(short_help="Advance the clock: 7d, 12h, 30m, 90s or 250ms.")
@click.argument("by", metavar="TIME")
@sessions_option
@admin_command
def advance(client: AdminClient, *, by: str, keep_sessions: bool) -> CommandResult:
    """Advance the clock by at most 3650d, and list the timers that fired, in order."""
    document = {"by": by, "keep_sessions": keep_sessions}
    answer = client.post(path_to("clock", "advance"), document, _ADVANCE_TIMEOUT_S)
    return CommandResult(answer, _advanced(answer))


@clock.command("set", short_help="Advance the clock to a time.")
@click.argument("now", metavar="TIME")
@sessions_option
@admin_command
def set_clock(client: AdminClient, *, now: str, keep_sessions: bool) -> CommandResult:
    """Advance the clock to a time: 2026-01-08T00:00:00Z, or milliseconds since 1970."""
    time_ms = int(now) if now.isdecimal() else now
    document = {"now": time_ms, "keep_sessions": keep_sessions}
    answer = client.put(path_to("clock"), document, _ADVANCE_TIMEOUT_S)
    return CommandResult(answer, [_now(answer)])


@clock.command(short_help="Stop the clock between jumps.")
@admin_command
def freeze(client: AdminClient) -> CommandResult:
    """Stop the clock between jumps."""
    answer = client.put(path_to("clock"), {"frozen": True})
    return CommandResult(answer, [_now(answer)])


@clock.command(short_help="Let the clock follow real time again.")
@admin_command
def resume(client: AdminClient) -> CommandResult:
    """Let the clock follow real time again."""
    answer = client.put(path_to("clock"), {"frozen": False})
    return CommandResult(answer, [_now(answer)])


def _now(answer: Mapping[str, Any]) -> str:
    return f"{answer['now']} ({answer['mode']}, {answer['ahead_ms']} ms ahead of real time)"


def _advanced(answer: Mapping[str, Any]) -> Iterator[str]:
    yield str(answer["now"])
    for each in answer["fell_due"]:
        facts = " ".join(f"{name}={value}" for name, value in each["facts"].items())
        yield f"  {utc_text(each['at_ms'])}  {each['kind']}  {facts}".rstrip()
