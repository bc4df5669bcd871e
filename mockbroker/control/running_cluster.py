"""A cluster on an event loop: binds its ports, serves, and stops."""

import asyncio
import socket
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Final, Protocol

from mockbroker.broker.internal_records.late_log_records import LATE_LOG_RECORDS
from mockbroker.broker.service import Service
from mockbroker.control.advertised_listeners import AdvertisedListeners, address
from mockbroker.control.cluster_control import NOT_RUNNING, ClusterControl
from mockbroker.events import logging
from mockbroker.events.late_event_bus import LateEventBus
from mockbroker.server.connection import RECEIVE_BYTES
from mockbroker.server.event_loop import note_process, run_on
from mockbroker.server.listener import PLAINTEXT, Listener, ListenerSecurity, bind
from mockbroker.server.wall_clock import WallClock
from mockbroker.settings.listener_settings import ListenerSettings, SecurityProtocol
from mockbroker.settings.settings import Settings
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.config.own_configs import broker_identity
from mockbroker.state.replication.broker import Broker
from mockbroker.state.topic.replication_control import NewTopic

if TYPE_CHECKING:
    from mockbroker.control.cluster_security import ClusterSecurity
    from mockbroker.journal.compact.ledger import Ledger
    from mockbroker.journal.compact.row_recorder import RowRecorder
    from mockbroker.journal.journal import Journal
    from mockbroker.journal.options import JournalOptions
    from mockbroker.journal.recorder import Recorder
    from mockbroker.journal.request_counts import RequestCounts

_SECURITY: Final = "mockbroker.control.cluster_security"
"""Loaded by name, so that a plaintext cluster does not import it."""
_COUNTS: Final = "mockbroker.journal.request_counts"
"""Loaded by name: most clusters count nothing."""


class HttpApi(Protocol):
    """The HTTP API of a cluster, as the cluster needs it."""

    url: str
    """The address of the API; empty while it is closed."""

    async def stop(self) -> None:
        """Close its port."""


class TelemetryPort(Protocol):
    """OpenTelemetry of a cluster, as the cluster needs it."""

    async def stop(self) -> None:
        """Export the last metrics, while the cluster still runs."""

    async def close(self) -> None:
        """End and export what is open, after the last connection was closed."""


class RunningCluster:
    """State, listeners and subscribers of a cluster, on one event loop."""

    def __init__(
        self,
        settings: Settings,
        loop: asyncio.AbstractEventLoop,
        clock: WallClock | None = None,
        journal: "JournalOptions | None" = None,
    ) -> None:
        """Create the cluster's state, without listeners.

        The clock is real time by default. With `journal` options, a journal is recorded from the
        start on.

        Raises:
            ApiError: a topic of the settings cannot be.

        """
        self.settings = settings
        clock = WallClock() if clock is None else clock
        self.state = _new_state(settings, clock)
        self._clock = clock
        note_process(loop)
        self.service = Service(self.state, clock, loop)
        self.control = ClusterControl(self.service, clock)
        self.control.settings = settings
        self._security: ClusterSecurity | None = None
        self._recorder: Recorder | None = None
        self._journal_options = journal
        self._journal: Journal | None = None
        self.listeners: list[Listener] = []
        """Those of all brokers, while they are open."""
        self.advertised = AdvertisedListeners()
        """The addresses of the listeners, as bound and as advertised."""
        self._idle: list[socket.socket] = []
        self.admin: HttpApi | None = None
        """The HTTP API, where one is open; it is stopped with the cluster."""
        self.telemetry: TelemetryPort | None = None
        """Where traces and metrics go, if they are on."""
        self._rows: RowRecorder | None = None
        self._late: LateEventBus | None = None
        self._counts: RequestCounts | None = None

    def keep_ledger(self, rows_max: int | None = None) -> None:
        """Write down what comes from now on, in at most so many rows."""
        # Imported late: `serve` begins its ledger at the first event to record.
        from mockbroker.journal.compact.row_recorder import ledger_recorder

        self.drop_ledger()
        self._rows = ledger_recorder(self.recorder, rows_max)

    def keep_ledger_late(self, rows_max: int | None = None) -> None:
        """Begin a ledger at the first event that it records, with the imports that it needs."""
        self._late = LateEventBus(self.service, partial(self.keep_ledger, rows_max))
        self.service.publish_to(self._late)

    def drop_ledger(self) -> None:
        """Delete the ledger, and write no more."""
        rows, self._rows = self._rows, None
        if rows is not None:
            rows.stop()
        if self._late is not None:
            self._late = None
            self.service.publish_to(None)

    @property
    def ledger(self) -> "Ledger | None":
        """The ledger; None if there is none."""
        self._begin_late_ledger()
        return None if self._rows is None else self._rows.ledger

    @property
    def keeps_ledger(self) -> bool:
        """True if there is a ledger, or one begins at the first event that it records."""
        return self._rows is not None or self._late is not None

    def _begin_late_ledger(self) -> None:
        def begin() -> None:
            if self._late is not None:  # still, on the loop
                self._late.replaced()

        if self._late is not None:
            run_on(self.service.loop, begin)

    @property
    def recorder(self) -> "Recorder":
        """The recorder of events, with the ledger and the journal as its backends."""
        self._begin_late_ledger()
        if self._recorder is None:
            # Imported late: a start without ledger and journal does not need it.
            from mockbroker.journal.recorder import Recorder

            self._recorder = Recorder(lambda: self.service)
        return self._recorder

    @property
    def journal(self) -> "Journal":
        """The journal of the cluster; it stays readable when the cluster has stopped."""
        if self._journal is None:
            # Imported late: most clusters have no journal.
            from mockbroker.journal.journal import Journal

            self._journal = Journal(self.recorder, lambda: self.service)
        return self._journal

    @property
    def counts(self) -> "RequestCounts":
        """Counts of requests, bytes and records since they were first asked for; on the loop."""
        if self._counts is None:
            self._counts = import_module(_COUNTS).counted_requests(self.service)
        assert self._counts is not None
        return self._counts

    @property
    def bootstrap_servers(self) -> str:
        """The addresses of all brokers, in the form for clients."""
        return ",".join(address(b.host, b.port) for b in self.state.brokers.values())

    def listeners_of(self, broker_id: int) -> list[Listener]:
        """Return the listeners of a broker, open or not."""
        return [each for each in self.listeners if each.broker_id == broker_id]

    def files(self) -> list[int]:
        """Return the files of all ports and connections; all threads may ask for them."""
        return [each for listener in list(self.listeners) for each in listener.files()]

    async def start(self) -> None:
        """Open every broker's port.

        Raises:
            OSError: a port is taken, and then none is left open; or there is no room for a journal.
            SettingsError: the security of a listener is not configured rightly.

        """
        security = [self._security_of(*each) for each in self._bound_listeners()]
        if self._security is not None:
            await self._security.ready()
        sockets = self._bind_all()
        try:
            if self._journal_options is not None:
                self.journal.start(self._journal_options)
            await self._listen(sockets, security)
        except (ImportError, OSError):
            await self.stop()
            for sock in sockets:
                sock.close()
            raise
        self.service.arm_timer()
        for warning in self.settings.warnings:
            logging.warning("config_ignored", why=warning)

    @property
    def security(self) -> "ClusterSecurity":
        """TLS and SASL of the listeners that have them."""
        if self._security is None:
            issues = self.settings.tls
            self._security = import_module(_SECURITY).ClusterSecurity(issues_certificates=issues)
        assert self._security is not None
        return self._security

    def _security_of(self, broker_id: int, listener: ListenerSettings) -> ListenerSecurity:
        if listener.security_protocol is SecurityProtocol.PLAINTEXT:
            return PLAINTEXT
        return self.security.of(self.state, broker_id, listener)

    async def _listen(
        self, sockets: Sequence[socket.socket], security: Sequence[ListenerSecurity]
    ) -> None:
        receive_buffer = bytearray(RECEIVE_BYTES)
        bound = self._bound_listeners()
        for (broker_id, listener), sock, own in zip(bound, sockets, security, strict=False):
            self.advertised.bound(broker_id, listener, sock.getsockname()[1])
            self.listeners.append(
                Listener(self.service, broker_id, receive_buffer, listener.name, own)
            )
        self.advertised.publish(self.state)
        for opened, sock in zip(self.listeners, sockets, strict=False):
            await opened.start(sock)
        self._idle = list(sockets[len(self.listeners) :])
        for sock in self._idle:
            sock.listen()

    def _bound_listeners(self) -> list[tuple[int, ListenerSettings]]:
        """Return the listeners of all brokers."""
        endpoints = self.settings.endpoints
        return [(each.node_id, listener) for each in endpoints for listener in each.listeners]

    def _bind_all(self) -> list[socket.socket]:
        """Bind the listeners for clients, then the others."""
        sockets: list[socket.socket] = []
        served = [(each.host, each.port) for _, each in self._bound_listeners()]
        idle = [(each.host, each.port) for each in self.settings.idle_listeners]
        try:
            for host, port in served + idle:
                sockets.append(bind(host, port))
        except OSError:
            for sock in sockets:
                sock.close()
            raise
        return sockets

    def reset(self) -> None:
        """Reset to the initial state, on the same ports and with the same topics.

        All connections are closed. Advertised addresses stay, including changed ones, and so do the
        subscribers of events.

        Raises:
            OSError: another process has taken the port of a broker that was killed.

        """
        before, clock = self.service, self._clock
        ended_ms = clock.now_ms()
        clock.reset()
        self.state = _new_state(self.settings, clock)
        self.service = service = Service(self.state, clock, before.loop)
        service.busy_polling = before.busy_polling
        self.advertised.publish(self.state)
        before.disarm_timer()
        service.publish_to(before.event_bus)
        if self._journal is not None:
            self._journal.reset()
        if self._rows is not None:
            self._rows.reset()
        before.publish_to(None)
        self.control.reset(service)
        for listener in self.listeners:
            listener.reset(service)
        service.arm_timer()
        service.note("reset", ended_ms=ended_ms)

    async def stop(self) -> None:
        """Close all ports and connections, and the journal.

        Raises:
            OSError: not all of the journal could be written.

        """
        if self.admin is not None:
            await self.admin.stop()
        if self.telemetry is not None:
            await self.telemetry.stop()
        self.control.close()
        self.service.disarm_timer()
        for listener in self.listeners:
            await listener.stop()
        self.listeners.clear()
        for sock in self._idle:
            sock.close()
        self._idle.clear()
        if self.telemetry is not None:
            await self.telemetry.close()
        if self._journal is not None:
            self._journal.close()


class ClusterAccess:
    """Access to a cluster that may not have started yet, or may have stopped."""

    def __init__(self, cluster: RunningCluster | None = None) -> None:
        """Take the cluster, if there is one already."""
        self.cluster = cluster

    @property
    def is_running(self) -> bool:
        """Whether the cluster has started and not stopped."""
        return self.cluster is not None and bool(self.cluster.listeners)

    @property
    def started(self) -> RunningCluster:
        """The cluster, after its start.

        Raises:
            RuntimeError: it has not.

        """
        if self.cluster is None:
            raise RuntimeError(NOT_RUNNING)
        return self.cluster

    @property
    def running(self) -> RunningCluster:
        """The cluster, while it runs.

        Raises:
            RuntimeError: it does not.

        """
        if not self.started.listeners:
            raise RuntimeError(NOT_RUNNING)
        return self.started

    @property
    def control(self) -> ClusterControl:
        """The control of the cluster, while it runs."""
        return self.running.control


def _new_state(settings: Settings, clock: WallClock) -> ClusterState:
    release = settings.options.release
    state = ClusterState(
        settings.options,
        [
            Broker(e.node_id, e.main.advertised_host, e.main.advertised_port, e.rack)
            for e in settings.endpoints
        ],
        records=LATE_LOG_RECORDS,
        configs=settings.configs,
        configs_by_broker={
            e.node_id: broker_identity(release, e.node_id) for e in settings.endpoints
        },
        seed=settings.seed,
        now_ms=clock.now_ms(),
        client_clock=clock.clients,
    )
    if settings.cluster_id is not None:
        state.cluster_id = settings.cluster_id
    for topic in settings.topics:
        new_topic = NewTopic(name=topic.name, num_partitions=topic.num_partitions)
        state.create_topic(new_topic)
    return state
