"""The command `mockbroker ready`: whether a cluster is there, for scripts and health checks."""

import time
from typing import Final

import click

from mockbroker.cli.cluster.admin_client import AdminClient
from mockbroker.cli.cluster.asking import MILLISECONDS, asking
from mockbroker.cli.command_answer import (
    EXIT_TIMED_OUT,
    EXIT_UNREACHABLE,
    Answer,
    CommandError,
)
from mockbroker.settings.duration import milliseconds

_PATH: Final = "/readyz"
_PATIENCE_S: Final = 2.0
_PAUSE_S: Final = 0.02


@click.command(short_help="Say whether a cluster is ready.")
@click.option(
    "--timeout", default="0ms", metavar="TIME", help="Wait so long for it: 10s (not at all)."
)
@asking
def ready(client: AdminClient, *, timeout: str) -> Answer:
    """Say whether a cluster is ready: it answers requests, and all its listeners are open.

    The exit code is 0 when it is, 3 when it is not there, and 4 when it was waited for in vain.
    """
    try:
        timeout_ms = milliseconds(timeout)
    except ValueError as error:
        raise click.BadParameter(str(error), param_hint="'--timeout'") from None
    deadline_s = time.monotonic() + timeout_ms / MILLISECONDS
    while True:
        try:
            return Answer(client.get(_PATH, patience_s=_PATIENCE_S), ["ready"])
        except CommandError as failure:
            if failure.exit_code != EXIT_UNREACHABLE or not timeout_ms:
                raise
            if time.monotonic() >= deadline_s:
                why = f"not ready within {timeout}: {failure.why}"
                raise CommandError(why, EXIT_TIMED_OUT) from None
        time.sleep(_PAUSE_S)
