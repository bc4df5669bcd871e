"""Cluster of `mockbroker run`: started for a command, checked after it."""

import gc
import os
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple

from mockbroker.cli import EXIT_FAILED, EXIT_USAGE
from mockbroker.cli.assertion_argument import Assertion
from mockbroker.cli.child_process import ChildProcess
from mockbroker.cli.command_answer import CommandError
from mockbroker.cli.serve import GC_THRESHOLDS, journal_of, why_not_started, with_environment
from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.control.running_cluster import RunningCluster
from mockbroker.errors import SettingsError
from mockbroker.events import logging
from mockbroker.http.serving import AdminError, open_admin
from mockbroker.protocol.errors import ApiError
from mockbroker.server.event_loop import LoopThread
from mockbroker.server.wall_clock import WallClock
from mockbroker.settings.serve_options import ServeOptions
from mockbroker.settings.settings import Settings, resolve_settings
from mockbroker.state.clock import DEFAULT_CLOCK

BOOTSTRAP_SERVERS: Final = "KAFKA_BOOTSTRAP_SERVERS"
ADMIN: Final = "MOCKBROKER_ADMIN"


class Failure(NamedTuple):
    """Failed assertion."""

    assertion: str
    """Its text on the command line."""
    why: str
    """Its message, with the timelines of its partitions."""


class Outcome(NamedTuple):
    """Result of a run."""

    command_exit_code: int
    failures: Sequence[Failure]
    faults: Sequence[str] = ()
    """Report of each fault, if an assertion failed."""
    journal: str | None = None
    """Reason why the journal is incomplete; None if it is not."""


def run(options: ServeOptions, command: Sequence[str], assertions: Iterable[Assertion]) -> Outcome:
    """Start a cluster, run a command with its address in the environment, and check assertions.

    Raises:
        CommandError: the cluster cannot start, or the command cannot be run.

    """
    gc.set_threshold(*GC_THRESHOLDS)  # as `serve`: a cluster allocates much, little of it garbage
    try:
        options, given = with_environment(options, os.environ)
        if options.port is None and "listeners" not in given.environment:
            options, given = options._replace(port=0), given._replace(port=0)
        settings = resolve_settings(given)
    except (SettingsError, OSError) as error:
        raise CommandError(str(error), EXIT_USAGE) from None
    logging.configure(level=options.log_level, log_format=options.log_format)
    outcome = None
    try:
        with _hosted(settings, options) as running:
            exit_code = _run_beside(running, command)
            cluster = ClusterHandle(running)
            failures = list(_failures(cluster, assertions))
            faults = [fault.story() for fault in cluster.faults] if failures else []
            outcome = Outcome(exit_code, failures, faults)
    except OSError as error:
        if outcome is None:
            raise CommandError(str(error), EXIT_FAILED) from None
        return outcome._replace(journal=str(error))
    return outcome


def _run_beside(cluster: RunningCluster, command: Sequence[str]) -> int:
    variables = {BOOTSTRAP_SERVERS: cluster.bootstrap_servers}
    if cluster.admin is not None:
        variables[ADMIN] = cluster.admin.url
    try:
        return ChildProcess(command, variables).run()
    except OSError as error:
        why = f"cannot run {command[0]}: {error.strerror}"
        raise CommandError(why, EXIT_USAGE) from None


@contextmanager
def _hosted(settings: Settings, options: ServeOptions) -> Generator[RunningCluster]:
    """Run a cluster in a thread of its own.

    Raises:
        CommandError: the cluster cannot start.
        OSError: at the end, not all of the journal could be written.

    """
    thread = LoopThread()
    try:
        try:
            running = RunningCluster(
                settings,
                thread.loop,
                WallClock(options.clock or DEFAULT_CLOCK),
                journal_of(options),
            )
            running.keep_ledger()
            thread.call(running.start())
        except (ApiError, ImportError, OSError) as error:
            raise CommandError(why_not_started(error), EXIT_USAGE) from None
        try:
            thread.call(open_admin(running, options, None))
            yield running
        except AdminError as error:
            raise CommandError(str(error), EXIT_USAGE) from None
        finally:
            thread.call(running.stop())
    finally:
        thread.stop()


def _failures(cluster: ClusterHandle, assertions: Iterable[Assertion]) -> Generator[Failure]:
    for assertion in assertions:
        try:
            assertion.row.check(cluster, assertion.arguments)
        except AssertionError as error:
            yield Failure(assertion.text, str(error))
        except LookupError as error:  # a missing topic is a failure of the tested command
            yield Failure(assertion.text, f"{assertion.row.name}: {error.args[0]}")
