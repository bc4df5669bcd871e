"""Run of `mockbroker serve`: start a cluster, print its addresses, serve until stopped."""

import asyncio
import gc
import json
import os
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from errno import EACCES, EADDRINUSE
from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING, Final

from mockbroker.broker.service import UNSTABLE_VERSIONS
from mockbroker.cli import EXIT_FAILED, EXIT_USAGE
from mockbroker.control.running_cluster import RunningCluster
from mockbroker.errors import ScenarioError, SettingsError
from mockbroker.events import logging
from mockbroker.events.printable import write_error
from mockbroker.http.serving import AdminError, open_admin
from mockbroker.protocol.errors import ApiError
from mockbroker.server.busy_polling import BusyPoller
from mockbroker.server.event_loop import new_loop
from mockbroker.server.wall_clock import WallClock
from mockbroker.settings.serve_options import LEDGER_ROWS, LEDGER_ROWS_LARGE, ServeOptions
from mockbroker.settings.settings import Given, Settings, resolve_settings
from mockbroker.state.clock import DEFAULT_CLOCK

if TYPE_CHECKING:
    from mockbroker.journal.options import JournalOptions
    from mockbroker.scenario.scenario_run import ScenarioRun

_SCENARIO_SETTINGS: Final = "mockbroker.cli.scenario.scenario_settings"
_HOSTED_SCENARIO: Final = "mockbroker.cli.scenario.hosted_scenario"
"""Loaded by name: few starts have a scenario."""
_TELEMETRY: Final = "mockbroker.telemetry.telemetry_setting"
"""Loaded by name: few starts export traces and metrics."""
READY_VERSION: Final = 1
GC_THRESHOLDS: Final = (50_000, 2, 50)
"""New objects until a collection, such collections until one of the middle generation, and those
until a full one. By default the middle one would have half a million objects: 100 ms."""
_VARIABLES: Final = ("KAFKA_", "MOCKBROKER_")
_STARTED: Final = (
    "[KafkaServer id={}] started; Kafka Server started; Transitioning from RECOVERY to RUNNING;"
    " Started Kafka API server (mockbroker)"
)
"""Log lines that tools which run Kafka images wait for."""


def serve(options: ServeOptions) -> int:
    """Run a cluster in the foreground; return the exit code of the process."""
    try:
        options, given = with_environment(options, os.environ)
        settings = resolve_settings(given)
    except (ScenarioError, SettingsError, OSError) as error:
        return _fail(why_not_read(error))
    logging.configure(level=options.log_level, log_format=options.log_format)
    loop = new_loop()
    asyncio.set_event_loop(loop)
    try:
        return loop.run_until_complete(_run(settings, loop, options))
    finally:
        loop.close()


def with_environment(
    options: ServeOptions, variables: Mapping[str, str]
) -> tuple[ServeOptions, Given]:
    """Return the options and the settings: the command line over the environment over a scenario.

    Raises:
        OSError: the settings file or the scenario cannot be read.
        ScenarioError: the scenario is not valid.
        SettingsError: a variable has an invalid value.

    """
    if not any(name.startswith(_VARIABLES) for name in variables):
        return _with_scenario(options)
    # Imported late: few starts have such variables.
    from mockbroker.settings.environment import read_environment

    environment = read_environment(variables).without(options)
    options, given = _with_scenario(options._replace(**environment.options))
    return options, environment.under(given)


def _with_scenario(options: ServeOptions) -> tuple[ServeOptions, Given]:
    if options.scenario is None:
        return options, given_of(options)
    filled, own = import_module(_SCENARIO_SETTINGS).under_options(options)
    return filled, given_of(filled)._replace(**own)


def given_of(options: ServeOptions) -> Given:
    """Convert the options to settings, including those of the settings file.

    Raises:
        OSError: the file cannot be read.

    """
    properties = ""
    if options.config_file is not None:
        # Not with pathlib, which no other part of a start imports.
        with open(options.config_file, encoding="latin-1") as file:  # noqa: PTH123
            properties = file.read()  # as Java reads it
    seed = [] if options.seed is None else [f"mockbroker.seed={options.seed}"]
    unstable = [f"{UNSTABLE_VERSIONS}=true"] if options.unstable_api_versions else []
    return Given(
        host=options.host,
        port=options.port,
        brokers=1 if options.brokers is None else options.brokers,
        topics=options.topics,
        configs=[*options.configs, *unstable, *seed],
        features=options.features,
        proposals=options.proposals,
        properties=properties,
        release=options.kafka,
        tls=options.tls,
    )


async def _run(settings: Settings, loop: asyncio.AbstractEventLoop, options: ServeOptions) -> int:
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        _on_signal(loop, number, stopped.set)
    try:
        cluster = RunningCluster(
            settings, loop, WallClock(options.clock or DEFAULT_CLOCK), journal_of(options)
        )
        if rows_max := ledger_rows_of(options):
            cluster.keep_ledger_late(rows_max)
        export_telemetry(cluster, options)
        scenario = hosted_scenario(cluster, options)
        await cluster.start()
    except (ApiError, ImportError, OSError, ScenarioError, SettingsError) as error:
        return _fail(why_not_started(error))
    try:
        await open_admin(cluster, options, stopped.set)
    except AdminError as error:
        await cluster.stop()
        return _fail(str(error))
    cluster.service.busy_polling = BusyPoller(loop)
    if scenario is not None:
        scenario.begin()
    _announce(cluster, as_json=options.as_json)
    if options.until_eof:
        Thread(target=_read_until_eof, args=(loop, stopped.set), daemon=True).start()
    # The objects of the start stay alive: the collector only has to look at later ones.
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)
    gc.enable()
    await stopped.wait()
    unmet = [] if scenario is None else await asyncio.to_thread(scenario.failures)
    for each in unmet:
        if scenario is None or each is not scenario.failure:  # which was printed when it failed
            write_error(str(each))
    try:
        await cluster.stop()
    except OSError as error:  # of the journal
        return _fail(str(error), EXIT_FAILED)
    return EXIT_FAILED if unmet else 0


def export_telemetry(cluster: RunningCluster, options: ServeOptions) -> None:
    """Export traces and metrics of a cluster, if that is wanted.

    Raises:
        SettingsError: a variable of OpenTelemetry is invalid, or its packages are missing.

    """
    if options.otel:
        import_module(_TELEMETRY).export_telemetry(cluster)


def hosted_scenario(cluster: RunningCluster, options: ServeOptions) -> "ScenarioRun | None":
    """Make the faults of the scenario, if there is one; `begin` starts its steps.

    Raises:
        OSError: the file cannot be read.
        ScenarioError: the file is not valid, or the cluster refuses a fault.

    """
    if options.scenario is None:
        return None
    run: ScenarioRun = import_module(_HOSTED_SCENARIO).hosted_scenario(
        cluster, options.scenario, lambda problem: write_error(str(problem))
    )
    return run


def ledger_rows_of(options: ServeOptions) -> int:
    """Return the number of rows of the ledger; 0 if there is none."""
    if options.ledger_rows is not None:
        return options.ledger_rows
    return LEDGER_ROWS_LARGE if options.ledger else LEDGER_ROWS


def journal_of(options: ServeOptions) -> "JournalOptions | None":
    """Return the options of the journal; None if there is none.

    Raises:
        SettingsError: what identifies records is no identity, or there is no journal for it.

    """
    identity = options.journal_identity
    if options.journal is None:
        if identity is not None:
            raise SettingsError("--journal-identity", identity, "it needs --journal")
        return None
    # Imported late: a start without a journal does not need it.
    from mockbroker.journal.options import JournalOptions

    try:
        return JournalOptions(
            path=options.journal, format=options.journal_format, identity=identity
        )
    except ValueError as error:
        raise SettingsError("--journal-identity", identity or "", str(error)) from None


def why_not_read(error: ScenarioError | SettingsError | OSError) -> str:
    """Return the reason why the settings are not valid, or their file cannot be read."""
    if isinstance(error, OSError):
        return f"cannot read {error.filename}: {error.strerror}"
    return str(error)


def why_not_started(
    error: ApiError | ImportError | OSError | ScenarioError | SettingsError,
) -> str:
    """Return the reason why a cluster did not start, with advice."""
    if isinstance(error, ApiError):
        return error.why or error.code.name
    if isinstance(error, FileExistsError | ImportError | ScenarioError | SettingsError):
        return str(error)
    if os.sep in str(error.filename):
        return f"cannot write to {error.filename}: {error.strerror}"
    hint = "; choose another --port" if error.errno in {EADDRINUSE, EACCES} else ""
    return f"cannot listen on {error.filename}: {error.strerror}{hint}"


def _on_signal(
    loop: asyncio.AbstractEventLoop, number: signal.Signals, stop: Callable[[], None]
) -> None:
    try:
        loop.add_signal_handler(number, stop)
    except NotImplementedError:  # loops on Windows cannot handle signals
        signal.signal(number, lambda _number, _frame: loop.call_soon_threadsafe(stop))


def _read_until_eof(loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> None:
    """Read stdin to its end in a thread: no loop can wait for files of every kind."""
    with suppress(OSError):  # no stdin, or a terminal that is gone
        while os.read(0, 4096):
            pass
    with suppress(RuntimeError):  # the loop has ended
        loop.call_soon_threadsafe(stop)


def _announce(cluster: RunningCluster, *, as_json: bool) -> None:
    release = cluster.settings.options.release
    if as_json:
        ready = {
            "_v": READY_VERSION,
            "bootstrap_servers": cluster.bootstrap_servers,
            "admin_url": None if cluster.admin is None else cluster.admin.url,
            "pid": os.getpid(),
            "kafka": release,
        }
        if cluster.settings.tls:
            ready["ca_pem"] = cluster.security.authority.ca_pem
        print(json.dumps(ready), flush=True)
        return
    print(f"mockbroker behaves like Kafka {release}; Ctrl-C stops it")
    for broker in cluster.state.brokers.values():
        print(f"  broker {broker.node_id} on {broker.host}:{broker.port}")
    if cluster.admin is not None:
        print(f"  admin on {cluster.admin.url}")
    print(_STARTED.format(cluster.state.controller_id))
    print(f"bootstrap.servers={cluster.bootstrap_servers}", flush=True)


def _fail(why: str, exit_code: int = EXIT_USAGE) -> int:
    write_error(why)
    return exit_code
