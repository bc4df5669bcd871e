"""Shared context of a cluster's connections: state, clock, routes and delayed responses."""

import asyncio
from collections.abc import Mapping
from importlib import import_module
from itertools import count
from typing import TYPE_CHECKING, Final

from mockbroker.broker.api_table import Route, guarded_routes, routes
from mockbroker.broker.delayed import Purgatory
from mockbroker.broker.refusal_log import RefusalLog
from mockbroker.broker.slices.sliced_work import SliceQueue
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.encoded import Encoded
from mockbroker.state.clock import Clock
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.random_source import RandomSource

if TYPE_CHECKING:
    from mockbroker.broker.between_brokers.broker_connection import BrokerConnection
    from mockbroker.broker.call import CallHolder, CallWrapper, IsolatedView
    from mockbroker.broker.client_connection import (
        BusyPolling,
        ClientConnection,
        ConnectionWatcher,
    )
    from mockbroker.events.event_bus import EventBus
    from mockbroker.events.late_event_bus import LateEventBus
    from mockbroker.protocol.records.validation.batch_rules import BatchRules
    from mockbroker.state.config.topic_config import TopicConfig
    from mockbroker.state.fetch.fetch_manager import FetchManager
    from mockbroker.state.share.share_partitions import SharePartitionManager
    from mockbroker.state.topic.topic import Partition

MILLISECONDS: Final = 1000
_QUOTA_GUARD: Final = "mockbroker.broker.throttling.quota_guard"
"""Loaded by name, so that a cluster without quotas does not import it."""
PENDING_WORK_SLICE: Final = 32
"""Entries of pending work that are run before other connections are served."""
UNSTABLE_VERSIONS: Final = "unstable.api.versions.enable"


class Service:
    """A running cluster: its state and everything around it, on one event loop, without locks."""

    def __init__(
        self, cluster: ClusterState, clock: Clock, loop: asyncio.AbstractEventLoop
    ) -> None:
        """Serve a cluster's state from a loop."""
        self.cluster = cluster
        self.clock = clock
        self.now_ms = clock.now_ms()
        """Time of the state, read once for each wake-up of the loop (`read_clock`)."""
        self.client_now_ms = self.now_ms - clock.clients.behind_ms
        """The same moment on the clients' clock, against which record timestamps are checked."""
        self.loop = loop
        self.purgatory = Purgatory(loop)
        self.slices = SliceQueue(loop)
        """Large requests, which are handled in slices."""
        self.faults: CallWrapper | None = None
        """Faults that may affect the next call; None if there are none."""
        self.holds: CallHolder | None = None
        """The same object while it holds calls; None otherwise."""
        self.isolated: dict[int, IsolatedView] = {}
        """The isolated brokers, by broker id."""
        self.toxics: ConnectionWatcher | None = None
        """Network faults of connections; None if there are none."""
        self.connections: set[ClientConnection] = set()
        """The connections of all brokers."""
        self.event_bus: EventBus | LateEventBus | None = None
        """Event bus; None while there are no subscribers."""
        self.busy_polling: BusyPolling | None = None
        """Busy polling between requests; only if nothing else needs the loop's thread."""
        cluster.appended = cluster.answered = self.purgatory.touch
        self.routes = _served_routes(cluster)
        self.refusals = RefusalLog(loop.time)
        self.metadata_of_all: dict[object, tuple[object, Encoded]] = {}
        """Cached Metadata responses for all topics, by request fields, with the revision shown."""
        self.connection_ids = count(1)
        self.broker_connections: dict[object, BrokerConnection] = {}
        """Connections between brokers, by both brokers and the API."""
        self.broker_calls_in_flight = 0
        self.batch_rules: dict[Partition, tuple[TopicConfig, BatchRules]] = {}
        """Rules for the batches of partitions, with the config that they were made of."""
        self.fetch_managers: dict[int, FetchManager] = {}
        self.share_managers: dict[int, SharePartitionManager] = {}
        """Fetch sessions and share partitions of the brokers that have some, by broker id."""
        # A separate source, so that the number of fetch sessions does not change topic ids.
        self.session_random = RandomSource(cluster.seed)
        self._timer: asyncio.TimerHandle | None = None
        self._armed_for_ms: int | None = None
        self._is_awake = False
        self._quota_guard: CallWrapper | None = None
        self._is_pending_scheduled = False

    @property
    def needs_general_path(self) -> bool:
        """True if faults, isolated brokers, ACLs or quotas may affect a call: none is fast.

        Nor is one while somebody waits for an event, which is looked for after each call, or needs
        the arrival of each request.
        """
        event_bus = self.event_bus
        return (
            self.faults is not None
            or self.holds is not None
            or bool(self.isolated)
            or self.cluster.authorizer is not None
            or self.cluster.clients.quotas.throttle
            or (event_bus is not None and event_bus.request_followers > 0)
        )

    @property
    def shows_broker_calls(self) -> bool:
        """True if calls between brokers may take time, or subscribers follow them."""
        event_bus = self.event_bus
        return (
            self.faults is not None
            or self.broker_calls_in_flight > 0
            or (event_bus is not None and event_bus.broker_call_followers > 0)
        )

    @property
    def quota_guard(self) -> "CallWrapper":
        """Throttling of clients by their quotas."""
        if self._quota_guard is None:
            self._quota_guard = import_module(_QUOTA_GUARD).QuotaGuard(self)
        assert self._quota_guard is not None
        return self._quota_guard

    def publish_to(self, event_bus: "EventBus | LateEventBus | None") -> None:
        """Report events to a bus, which may come from the service before this one, or to none."""
        self.event_bus = event_bus
        self.cluster.observation.reporter = None if event_bus is None else event_bus.reporter
        if event_bus is not None:
            event_bus.service = self

    def cluster_of(self, broker_id: int) -> ClusterState:
        """Return the state by which a broker serves calls: its own one while it is isolated."""
        isolated = self.isolated.get(broker_id)
        return self.cluster if isolated is None else isolated.view

    def note(self, kind: str, **facts: object) -> None:
        """Report a control action on the cluster to the subscribers."""
        if self.event_bus is not None:
            self.event_bus.note(kind, facts)

    def read_clock(self) -> int:
        """Read the state's clock at the start of a piece of work."""
        clock = self.clock
        self.now_ms = now_ms = clock.now_ms()
        self.client_now_ms = now_ms - clock.clients.behind_ms
        return now_ms

    def clock_moved(self) -> None:
        """Read the clock after it jumped, stopped or resumed, and notify the logs."""
        self.read_clock()
        self.cluster.clock_moved()

    def forget_broker(self, broker_id: int) -> None:
        """Drop a broker's state that was in memory only: its sessions and share partitions."""
        self.fetch_managers.pop(broker_id, None)
        shares = self.share_managers.pop(broker_id, None)
        if shares is not None:
            shares.dead_letters.stop()

    def connection_closed(self, connection_id: int) -> None:
        """End the share sessions that began on a connection."""
        for manager in self.share_managers.values():
            manager.connection_closed(connection_id, self.read_clock())

    def look_at_holds(self) -> None:
        """Release the held calls whose conditions are true now."""
        if self.holds is not None:
            self.holds.look()

    def run_pending_soon(self) -> None:
        """Schedule the state's pending work, to run after the current response is written."""
        self.look_at_holds()
        if not self.cluster.pending:
            self._wake_in_time()
        elif not self._is_pending_scheduled:
            self._is_pending_scheduled = True
            self.loop.call_soon(self._run_pending)

    def _run_pending(self) -> None:
        self._is_pending_scheduled = False
        try:
            self.cluster.run_pending(self.read_clock(), at_most=PENDING_WORK_SLICE)
            self.look_at_holds()
        finally:
            if self.cluster.pending:
                self.run_pending_soon()
            # Pending work may need a retry, such as markers for a partition without a leader.
            self._wake_in_time()

    def _wake_in_time(self) -> None:
        """Arm the timer again if there is a new deadline before the one it is armed for."""
        deadline_ms, armed_for_ms = self.cluster.next_deadline_ms(), self._armed_for_ms
        if (
            self._is_awake
            and deadline_ms is not None
            and (armed_for_ms is None or deadline_ms < armed_for_ms)
        ):
            self.arm_timer()

    def arm_timer(self) -> None:
        """Arm the timer for the state's next deadline."""
        self.disarm_timer()
        self._is_awake = True
        deadline_ms = self._armed_for_ms = self.cluster.next_deadline_ms()
        if deadline_ms is not None:
            delay_ms = max(0, deadline_ms - self.clock.now_ms())
            self._timer = self.loop.call_later(delay_ms / MILLISECONDS, self._advance)

    def disarm_timer(self) -> None:
        """Disarm the timer until the next `arm_timer`."""
        self._is_awake = False
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _advance(self) -> None:
        try:
            self.cluster.advance_to(self.read_clock())
        finally:
            self.run_pending_soon()
            self.arm_timer()


def _served_routes(cluster: ClusterState) -> dict[int, Route]:
    """Return the routes of the release; with an authorizer, with checks of the client's rights."""
    advertised = _advertised(cluster)
    found: dict[int, Route] = {}
    for api_key, route in routes().items():
        served = _served(api_key, route, advertised)
        if served is not None:
            found[api_key] = served
    return found if cluster.authorizer is None else guarded_routes(found)


def _advertised(cluster: ClusterState) -> Mapping[ApiKey, range]:
    """Return the release's versions, and its unstable ones if a config enables them."""
    options, configs = cluster.options, cluster.configs
    if UNSTABLE_VERSIONS in configs.broker_definitions and configs.broker_flag(UNSTABLE_VERSIONS):
        return {**options.api_versions, **options.unstable_api_versions}
    return options.api_versions


def _served(api_key: ApiKey, route: Route, advertised: Mapping[ApiKey, range]) -> Route | None:
    """Restrict a route to the versions of the cluster's release; None if it has none."""
    release = advertised.get(api_key)
    if release is None:
        return None
    first = max(release.start, route.versions.start)
    stop = min(release.stop, route.versions.stop)
    return Route(api_key, range(first, stop)) if first < stop else None
