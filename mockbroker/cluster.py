"""`Cluster`: a context manager, with `with` or `async with`, that runs a cluster."""

import asyncio
import warnings
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Final, Self

from mockbroker.control.cluster_control import NOT_RUNNING
from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.control.faults_handle import FaultsHandle, unreported_idle, warn_of_idle
from mockbroker.control.running_cluster import RunningCluster
from mockbroker.errors import SettingsError
from mockbroker.events import logging
from mockbroker.journal.compact.ledger import ROWS_MAX
from mockbroker.journal.options import JournalSetting, journal_options
from mockbroker.server.event_loop import LoopThread, completed_in_thread, is_forked, running_trio
from mockbroker.server.wall_clock import WallClock
from mockbroker.settings.listener_settings import PORT_MAX
from mockbroker.settings.python_arguments import ConfigText, Release, Topics, python_settings
from mockbroker.settings.settings import Given, Settings
from mockbroker.state.clock import CLOCK_MODES, ClockMode

if TYPE_CHECKING:
    from mockbroker.control.running_cluster import TelemetryPort
    from mockbroker.server.loop_watchdog import Block, LoopWatchdog
    from mockbroker.settings.telemetry_options import TelemetrySetting

_WATCHDOG: Final = "mockbroker.server.loop_watchdog"
"""Loaded by name: a cluster on its own thread needs none."""
_TELEMETRY: Final = "mockbroker.telemetry.telemetry_setting"
"""Loaded by name: most clusters have none."""
_WARNING: Final = "mockbroker.faults.unsent_error"
"""Loaded by name: a start does not wait for faults."""
_BLOCKED: Final = (
    "the event loop of the cluster has been blocked for {0.blocked_s:.1f} s, while a client waits,"
    " by {0.path}:{0.line} in {0.function}: `{0.source}`. Run the cluster on a thread of its own,"
    " `async with Cluster(thread=True)`, or the call: `await asyncio.to_thread(...)`"
)


class Cluster(ClusterHandle):
    """A cluster of mock brokers in this process, on free ports of 127.0.0.1.

    `with Cluster(brokers=3) as cluster:` runs it on its own thread. `async with` runs it on the
    running loop of asyncio, or with `Cluster(thread=True)`, and in trio, on its own thread. Every
    cluster starts empty and shares nothing with others.
    """

    _thread: LoopThread | None = None
    _watchdog: "LoopWatchdog | None" = None
    _refusal: Warning | None = None
    """A warning about the event loop that the filters of the test run made an error."""

    def __init__(
        self,
        *,
        brokers: int = 1,
        kafka: Release | None = None,
        topics: Topics | None = None,
        config: Mapping[str, ConfigText] | None = None,
        features: Mapping[str, int] | None = None,
        proposals: Sequence[str] = (),
        clock: ClockMode = "offset",
        journal: JournalSetting = None,
        seed: int | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
        admin_port: int | None = None,
        tls: bool = False,
        telemetry: "TelemetrySetting" = False,
        ledger_rows_max: int = ROWS_MAX,
        allow_unknown_config: bool = False,
        thread: bool = False,
    ) -> None:
        """Configure the cluster; it starts with the `with` block.

        `kafka` is the emulated release, `topics` a list of names or maps them to partitions,
        `config` has broker configs by Kafka's names, `features` levels of features; `proposals`
        enables those never shipped. Broker i has `port` + i. The `clock` runs and can jump
        (`offset`), only jumps (`manual`), or only runs (`real`). Random choices use `seed` (0). The
        HTTP API is at `admin_port` (0: a free one). With `tls` brokers use it. The ledger has up to
        `ledger_rows_max` batches. A `journal` is in memory (True), or in a folder (path).
        `telemetry` passes traces and metrics to OpenTelemetry (True), or to given providers.

        Raises:
            SettingsError: a setting is invalid; the text names it, and the allowed values.

        """
        super().__init__()
        self._on_own_thread, self._ledger_rows_max = thread, ledger_rows_max
        given = Given(host=host, port=port, brokers=brokers, proposals=proposals, tls=tls)
        self._settings: Settings = python_settings(
            given,
            topics=topics,
            config=config,
            features=features,
            release=kafka,
            seed=seed,
            is_strict=not allow_unknown_config,
        )
        self._clock_mode: ClockMode = _checked_clock(clock)
        self._open_admin = None if admin_port is None else _admin_opener(admin_port)
        self._journal, self._telemetry = journal_options(journal), _telemetry_starter(telemetry)

    async def _start(self, running: RunningCluster) -> None:
        await running.start()
        if self._open_admin is not None:
            try:
                host = self._settings.endpoints[0].main.host
                await self._open_admin(running, host)
            except BaseException:
                await running.stop()
                raise

    def _made(self, loop: asyncio.AbstractEventLoop) -> RunningCluster:
        running = RunningCluster(self._settings, loop, WallClock(self._clock_mode), self._journal)
        if self._ledger_rows_max:
            running.keep_ledger(self._ledger_rows_max)
        if self._telemetry is not None:
            running.telemetry = self._telemetry(running)
        return running

    def _check_is_stopped(self) -> None:
        if self._access.is_running:
            raise RuntimeError(
                "the cluster runs already, and needs no second `with`: a fixture has started it,"
                " or it was entered before; make another `Cluster` for a second one"
            )

    def __enter__(self) -> Self:
        """Start on a new thread.

        Raises:
            ApiError: a topic cannot be made; the error is Kafka's.
            OSError: a port is taken.
            RuntimeError: it runs already.

        """
        self._check_is_stopped()
        thread = LoopThread()
        try:
            self._access.cluster = self._made(thread.loop)
            thread.call(self._start(self._access.cluster))
        except BaseException:
            thread.stop()
            raise
        self._thread = thread
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop, and leave no thread or port open; in a forked child, do nothing."""
        if self._thread is None:
            raise RuntimeError(NOT_RUNNING)
        if is_forked(self._thread.loop):
            return
        idle = [] if kind else unreported_idle(FaultsHandle(self._access.started.control))
        try:
            self._thread.call(self._access.started.stop())
        finally:
            self._thread.stop()
            self._thread = None
        warn_of_idle(idle)

    async def __aenter__(self) -> Self:
        """Start on the running loop, or on a new thread.

        Raises:
            ApiError, OSError, RuntimeError: as `with` does.

        """
        if self._on_own_thread or running_trio() is not None:
            return self.__enter__()  # takes milliseconds, and cannot be cancelled halfway
        self._check_is_stopped()
        loop = asyncio.get_running_loop()
        running = self._access.cluster = self._made(loop)
        await self._start(running)
        watchdog: LoopWatchdog = import_module(_WATCHDOG).LoopWatchdog(
            loop, running.files, self._warn_of
        )
        self._watchdog = watchdog
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop, and leave no thread or port open; in a forked child, do nothing."""
        if self._thread is not None:
            await completed_in_thread(partial(self.__exit__, kind, error, trace))
        elif not is_forked(self._access.started.service.loop):
            if self._watchdog is not None:
                self._watchdog.stop()
            idle = [] if kind else unreported_idle(FaultsHandle(self._access.started.control))
            await self._access.started.stop()
            refusal, self._refusal = self._refusal, None
            if refusal is not None and error is None:
                raise refusal
            warn_of_idle(idle)

    def _warn_of(self, block: "Block") -> None:
        """Log at once, as the call may never end, that the loop is blocked; and warn."""
        text = _BLOCKED.format(block)
        logging.warning("loop_blocked", why=text)
        warning: type[UserWarning] = import_module(_WARNING).MockbrokerWarning
        try:
            warnings.warn_explicit(text, warning, block.path, block.line)
        except warning as refusal:  # the filter of the test run makes it an error
            self._refusal = refusal


def _checked_clock(clock: ClockMode) -> ClockMode:
    if clock not in CLOCK_MODES:
        raise SettingsError("clock", clock, f"allowed are {', '.join(CLOCK_MODES)}")
    return clock


def _telemetry_starter(
    telemetry: "TelemetrySetting",
) -> "Callable[[RunningCluster], TelemetryPort] | None":
    if telemetry is False:
        return None
    starter: Callable[[RunningCluster], TelemetryPort]
    starter = import_module(_TELEMETRY).telemetry_starter(telemetry)
    return starter


def _admin_opener(port: int) -> Callable[[RunningCluster, str], Awaitable[None]]:
    """Validate the admin port; return what opens it, given the cluster and its host."""
    # Imported late: most clusters of tests have no HTTP API.
    from mockbroker.http import admin_port, serving

    if not 0 <= port <= PORT_MAX:
        raise SettingsError("admin_port", str(port), f"allowed are 0 to {PORT_MAX}")
    if not admin_port.is_installed():
        raise SettingsError("admin_port", str(port), f"it needs more packages: {admin_port.EXTRA}")
    return partial(serving.open_port, port=port)
