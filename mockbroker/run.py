"""`mockbroker run`: a cluster for as long as a command takes, and what is asserted when it ends."""

from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple

from mockbroker.child_process import ChildProcess
from mockbroker.cluster_handle import ClusterHandle
from mockbroker.command_answer import EXIT_USAGE, CommandError
from mockbroker.event_loop import LoopThread
from mockbroker.observe import logging
from mockbroker.protocol.errors import ApiError
from mockbroker.running_cluster import RunningCluster
from mockbroker.serve import given_of, why_not_started
from mockbroker.serve_options import ServeOptions
from mockbroker.settings import Settings, SettingsError, resolve_settings

BOOTSTRAP_SERVERS: Final = "KAFKA_BOOTSTRAP_SERVERS"


class Failure(NamedTuple):
    """An assertion that does not hold."""

    name: str
    why: str
    """The assertion's own words, with the lanes of what it is about."""


class Outcome(NamedTuple):
    """What has come of a run."""

    command_exit_code: int
    failures: Sequence[Failure]


def run(options: ServeOptions, command: Sequence[str], assertions: Iterable[str]) -> Outcome:
    """Start a cluster, run a command that is told where it is, and see what holds in the end.

    `assertions` are names of the handle's methods, without `assert_` and with dashes.

    Raises:
        CommandError: the cluster cannot start, or the command cannot be run.

    """
    logging.configure(level=options.log_level, log_format=options.log_format)
    try:
        settings = resolve_settings(given_of(options))
    except (SettingsError, OSError) as error:
        raise CommandError(str(error), EXIT_USAGE) from None
    with _hosted(settings) as cluster:
        exit_code = _run_beside(cluster, command)
        return Outcome(exit_code, list(_failures(cluster, assertions)))


def _run_beside(cluster: ClusterHandle, command: Sequence[str]) -> int:
    child = ChildProcess(command, {BOOTSTRAP_SERVERS: cluster.bootstrap_servers})
    try:
        return child.run()
    except OSError as error:
        why = f"cannot run {command[0]}: {error.strerror}"
        raise CommandError(why, EXIT_USAGE) from None


@contextmanager
def _hosted(settings: Settings) -> Generator[ClusterHandle]:
    """Have a cluster on a thread of its own.

    Raises:
        CommandError: it cannot start.

    """
    thread = LoopThread()
    try:
        try:
            running = RunningCluster(settings, thread.loop)
            thread.call(running.start())
        except (ApiError, OSError) as error:
            raise CommandError(why_not_started(error), EXIT_USAGE) from None
        try:
            yield ClusterHandle(running)
        finally:
            thread.call(running.stop())
    finally:
        thread.stop()


def _failures(cluster: ClusterHandle, assertions: Iterable[str]) -> Generator[Failure]:
    for name in assertions:
        check = getattr(cluster, f"assert_{name.replace('-', '_')}")
        try:
            check()
        except AssertionError as error:
            yield Failure(name, str(error))
