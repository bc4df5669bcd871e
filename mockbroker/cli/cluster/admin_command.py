"""Options, arguments and errors of commands that call the admin API of a running cluster."""

import functools
import os
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, Final, NoReturn

import click

from mockbroker.cli import EXIT_FAILED, EXIT_TIMED_OUT, EXIT_UNREACHABLE, EXIT_USAGE
from mockbroker.cli.command_answer import CommandError, CommandResult, answering
from mockbroker.http.admin_client import DEFAULT_URL, AdminClient, AdminRequestError, FailureKind

ADMIN: Final = "MOCKBROKER_ADMIN"
ADMIN_PORT: Final = "MOCKBROKER_ADMIN_PORT"
TOKEN: Final = "MOCKBROKER_ADMIN_TOKEN"
MILLISECONDS: Final = 1000
_EXIT_CODES: Final[Mapping[FailureKind, int]] = {
    "address": EXIT_USAGE,
    "unreachable": EXIT_UNREACHABLE,
    "timeout": EXIT_TIMED_OUT,
    "refused": EXIT_USAGE,
    "failed": EXIT_FAILED,
}


def default_url() -> str:
    """Return the default URL, with the port that the environment sets for `serve`.

    The health check of a container uses it, so that it follows the variables of the container.
    """
    port = os.environ.get(ADMIN_PORT, "")
    return f"http://127.0.0.1:{port}" if port.isdecimal() and int(port) else DEFAULT_URL


@contextmanager
def admin_errors() -> Generator[None]:
    """Raise CommandError for requests that fail."""
    try:
        yield
    except AdminRequestError as error:
        problem = error.problem or {}
        document = {"problem": problem} if problem else None
        why = error.why
        if command := problem.get("command"):
            fact, _, _ = why.partition(": ")
            why = f"{fact}: use `{command}`"
        raise CommandError(why, _EXIT_CODES[error.kind], document) from None


def admin_command(command: Callable[..., CommandResult]) -> Callable[..., NoReturn]:
    """Add --admin, --json and --quiet to a command, and pass a client as its first argument."""

    @functools.wraps(command)
    def with_client(*args: Any, admin: str, **kwargs: Any) -> CommandResult:
        with admin_errors():
            return command(AdminClient(admin, os.environ.get(TOKEN)), *args, **kwargs)

    return click.option(
        "--admin",
        metavar="URL",
        envvar=ADMIN,
        default=default_url,
        help=f"The cluster's admin API (${ADMIN}, or {DEFAULT_URL}).",
    )(answering(with_client))


class DefaultingGroup(click.Group):
    """Group of commands with a default command."""

    def __init__(self, *args: Any, default: str, **kwargs: Any) -> None:
        """Set the name of the default command."""
        super().__init__(*args, **kwargs)
        self._default = default

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the default in front of options that are not the group's own."""
        is_named = args and (not args[0].startswith("-") or args[0] in ctx.help_option_names)
        if not is_named and not ctx.resilient_parsing:  # shell completion may complete a name
            args = [self._default, *args]
        return super().parse_args(ctx, args)


class PartitionName(click.ParamType["tuple[str, int | None]"]):
    """Topic and partition, written `orders:0`; or a topic alone if the index is optional."""

    name = "partition"

    def __init__(self, *, index_required: bool = False) -> None:
        """Choose whether the index is required."""
        self._index_required = index_required

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, int | None]:
        """Split the topic from the index."""
        if isinstance(value, tuple):
            return value  # pyright: ignore[reportUnknownVariableType] - a default of ours
        topic, colon, index = str(value).partition(":")
        if topic and not colon and not self._index_required:
            return topic, None
        if not topic or not index.isascii() or not index.isdecimal():
            form = "TOPIC:PARTITION" if self._index_required else "TOPIC or TOPIC:PARTITION"
            self.fail(f"{value!r} is not written as {form}", param, ctx)
        return topic, int(index)


class NameAndValue(click.ParamType["tuple[str, str]"]):
    """A name and a value, written `name=value`; the value may be empty."""

    name = "pair"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """Split the name from the value."""
        name, separator, text = str(value).partition("=")
        if not name or not separator:
            self.fail(f"{value!r} is not written as NAME=VALUE", param, ctx)
        return name, text


def utc_text(time_ms: int) -> str:
    """Format a time of the cluster for people, in UTC."""
    time = datetime.fromtimestamp(time_ms / MILLISECONDS, UTC)
    return time.strftime("%Y-%m-%d %H:%M:%S.") + f"{time_ms % MILLISECONDS:03}"
