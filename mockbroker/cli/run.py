"""Cluster of `mockbroker run`: started for a command, checked after it."""

import gc
import os
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

from mockbroker.cli import EXIT_FAILED, EXIT_USAGE
from mockbroker.cli.assertion_argument import DEFAULT_ASSERTIONS, Assertion, parse_assertion
from mockbroker.cli.child_process import ChildProcess
from mockbroker.cli.command_answer import CommandError
from mockbroker.cli.serve import (
    GC_THRESHOLDS,
    export_telemetry,
    hosted_scenario,
    journal_of,
    why_not_read,
    why_not_started,
    with_environment,
)
from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.control.running_cluster import RunningCluster
from mockbroker.errors import ScenarioError, SettingsError
from mockbroker.events import logging
from mockbroker.http.serving import AdminError, open_admin
from mockbroker.protocol.errors import ApiError
from mockbroker.server.event_loop import LoopThread
from mockbroker.server.wall_clock import WallClock
from mockbroker.settings.serve_options import ServeOptions
from mockbroker.settings.settings import Settings, resolve_settings
from mockbroker.state.clock import DEFAULT_CLOCK

if TYPE_CHECKING:
    from mockbroker.scenario.scenario_run import ScenarioRun

BOOTSTRAP_SERVERS: Final = "KAFKA_BOOTSTRAP_SERVERS"
ADMIN: Final = "MOCKBROKER_ADMIN"


class Failure(NamedTuple):
    """Failed assertion."""

    assertion: str
    """Its text on the command line."""
    why: str
    """Its message, with the timelines of its partitions."""


class AskedAssertions(NamedTuple):
    """Assertions of the command line."""

    assertions: Sequence[Assertion] = ()
    """In addition to those of the scenario; default: `DEFAULT_ASSERTIONS`, if it has none."""
    no_assertions: bool = False
    """True to check none at all."""

    def beside(self, scenario: "ScenarioRun | None") -> list[Assertion]:
        """Return all assertions to check, given those of a scenario."""
        if self.no_assertions:
            return []
        expected = [] if scenario is None else scenario.expectations
        found = [Assertion(str(each), each.row, each.arguments) for each in expected]
        found += self.assertions
        has_own = scenario is not None and scenario.has_expectations
        return found if found or has_own else [parse_assertion(text) for text in DEFAULT_ASSERTIONS]


class Outcome(NamedTuple):
    """Result of a run."""

    command_exit_code: int
    failures: Sequence[Failure]
    faults: Sequence[str] = ()
    """Report of each fault, if an assertion failed."""
    journal: str | None = None
    """Reason why the journal is incomplete; None if it is not."""
    checked: Sequence[str] = ()
    """The assertions, as on the command line."""
    step: str | None = None
    """The step of the scenario that failed, with its place and the reason; None if none did."""


def run(options: ServeOptions, command: Sequence[str], asked: AskedAssertions) -> Outcome:
    """Start a cluster, run a command with its address in the environment, and check assertions.

    Raises:
        CommandError: the cluster cannot start, or the command cannot be run.

    """
    options, settings = given_settings(options)
    logging.configure(level=options.log_level, log_format=options.log_format)
    outcome = None
    try:
        with hosted(settings, options) as (running, scenario):
            if scenario is not None:
                scenario.begin()
            exit_code = _run_beside(running, command)
            outcome = _judged(ClusterHandle(running), scenario, exit_code, asked)
    except OSError as error:
        if outcome is None:
            raise CommandError(str(error), EXIT_FAILED) from None
        return outcome._replace(journal=str(error))
    return outcome


def given_settings(options: ServeOptions) -> tuple[ServeOptions, Settings]:
    """Return the options with those of the environment, and the settings; ports are free ones.

    Raises:
        CommandError: a setting is not valid, or its file cannot be read.

    """
    gc.set_threshold(*GC_THRESHOLDS)  # as `serve`: a cluster allocates much, little of it garbage
    try:
        options, given = with_environment(options, os.environ)
        if options.port is None and "listeners" not in given.environment:
            options, given = options._replace(port=0), given._replace(port=0)
        return options, resolve_settings(given)
    except (ScenarioError, SettingsError, OSError) as error:
        raise CommandError(why_not_read(error), EXIT_USAGE) from None


def _judged(
    cluster: ClusterHandle, scenario: "ScenarioRun | None", exit_code: int, asked: AskedAssertions
) -> Outcome:
    step = None if scenario is None else scenario.finish()
    assertions = asked.beside(scenario)
    failures = list(_failures(cluster, assertions))
    return Outcome(
        exit_code,
        failures,
        [fault.story() for fault in cluster.faults] if failures or step else [],
        checked=[each.text for each in assertions],
        step=None if step is None else str(step),
    )


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
def hosted(
    settings: Settings, options: ServeOptions
) -> Generator[tuple[RunningCluster, "ScenarioRun | None"]]:
    """Run a cluster in a thread of its own, with the faults of its scenario.

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
            running.keep_ledger(options.ledger_rows)
            export_telemetry(running, options)
            scenario = hosted_scenario(running, options)
            thread.call(running.start())
        except (ApiError, ImportError, OSError, ScenarioError, SettingsError) as error:
            raise CommandError(why_not_started(error), EXIT_USAGE) from None
        try:
            thread.call(open_admin(running, options, None))
            yield running, scenario
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
