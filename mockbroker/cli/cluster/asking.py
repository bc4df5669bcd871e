"""What the commands that ask a running cluster have in common."""

import functools
import os
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Final, NoReturn

import click

from mockbroker.cli.cluster.admin_client import DEFAULT_URL, AdminClient
from mockbroker.cli.command_answer import Answer, answering

ADMIN: Final = "MOCKBROKER_ADMIN"
ADMIN_PORT: Final = "MOCKBROKER_ADMIN_PORT"
TOKEN: Final = "MOCKBROKER_ADMIN_TOKEN"
MILLISECONDS: Final = 1000


def admin_option(command: Callable[..., NoReturn]) -> Callable[..., NoReturn]:
    """Give a command the option --admin."""
    return click.option(
        "--admin",
        metavar="URL",
        envvar=ADMIN,
        default=default_url,
        help=f"The cluster's admin API (${ADMIN}, or {DEFAULT_URL}).",
    )(command)


def default_url() -> str:
    """Say where a cluster's HTTP door is here: at the port that `serve` is told by the environment.

    So a container's health check asks at the port that the container's variables name.
    """
    port = os.environ.get(ADMIN_PORT, "")
    return f"http://127.0.0.1:{port}" if port.isdecimal() and int(port) else DEFAULT_URL


def client_of(url: str) -> AdminClient:
    """Make a client, with the token of the environment.

    Raises:
        CommandError: it is no URL.

    """
    return AdminClient(url, os.environ.get(TOKEN))


def asking(command: Callable[..., Answer]) -> Callable[..., NoReturn]:
    """Give a command --admin, --json and --quiet, and a client as its first argument."""

    @functools.wraps(command)
    def asked(*args: Any, admin: str, **kwargs: Any) -> Answer:
        return command(client_of(admin), *args, **kwargs)

    return admin_option(answering(asked))


class DefaultingGroup(click.Group):
    """Commands of which one is meant where none is named."""

    def __init__(self, *args: Any, default: str, **kwargs: Any) -> None:
        """Name the command that is meant."""
        super().__init__(*args, **kwargs)
        self._default = default

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the default in front of options that are not the group's own."""
        is_named = args and (not args[0].startswith("-") or args[0] in ctx.help_option_names)
        if not is_named and not ctx.resilient_parsing:  # which completes what may be a name
            args = [self._default, *args]
        return super().parse_args(ctx, args)


class PartitionName(click.ParamType["tuple[str, int | None]"]):
    """A topic and one of its partitions, written `orders:0`; a topic alone where that will do."""

    name = "partition"

    def __init__(self, *, index_required: bool = False) -> None:
        """Say whether the number has to be there."""
        self._index_required = index_required

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int | None]:
        """Part the topic from the number."""
        if isinstance(value, tuple):
            return value  # pyright: ignore[reportUnknownVariableType] - a default of ours
        topic, colon, index = str(value).partition(":")
        if topic and not colon and not self._index_required:
            return topic, None
        if not topic or not index.isascii() or not index.isdecimal():
            form = "TOPIC:PARTITION" if self._index_required else "TOPIC or TOPIC:PARTITION"
            self.fail(f"{value!r} is not written as {form}", param, ctx)
        return topic, int(index)


def moment(time_ms: int) -> str:
    """Write a time of the cluster as people read it, in UTC."""
    found = datetime.fromtimestamp(time_ms / MILLISECONDS, UTC)
    return found.strftime("%Y-%m-%d %H:%M:%S.") + f"{time_ms % MILLISECONDS:03}"
