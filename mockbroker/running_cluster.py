"""A cluster's life on an event loop: bind, serve, stop."""

import asyncio
import socket
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from mockbroker.cluster_control import ClusterControl
from mockbroker.connection import RECEIVE_BYTES
from mockbroker.late_log_records import LATE_LOG_RECORDS
from mockbroker.observe import logging
from mockbroker.server import Listener, bind
from mockbroker.service import Service
from mockbroker.settings import Settings
from mockbroker.state.broker import Broker
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.config.own_configs import broker_endpoint, broker_identity
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.wall_clock import WallClock

if TYPE_CHECKING:
    from mockbroker.admin.admin_port import AdminPort


class RunningCluster:
    """Everything of one cluster that lives on one loop."""

    def __init__(
        self,
        settings: Settings,
        loop: asyncio.AbstractEventLoop,
        clock: WallClock | None = None,
    ) -> None:
        """Make the cluster's state; nothing listens yet. Its clock is the real time unless given.

        Raises:
            ApiError: a topic of the settings cannot be.

        """
        self.settings = settings
        clock = WallClock() if clock is None else clock
        self.state = _new_state(settings, clock)
        self._clock = clock
        self.service = Service(self.state, clock, loop)
        self.control = ClusterControl(self.service, clock)
        self.listeners: list[Listener] = []
        """One for each broker, while they are open."""
        self.admin: AdminPort | None = None
        """The HTTP door, where one is open."""

    @property
    def bootstrap_servers(self) -> str:
        """The addresses of all brokers, as clients take them."""
        return ",".join(_address(b.host, b.port) for b in self.state.brokers.values())

    def listener_of(self, broker_id: int) -> Listener:
        """Return the listener of a broker, open or not; there has to be one."""
        return next(each for each in self.listeners if each.broker_id == broker_id)

    async def start(self) -> None:
        """Open every broker's port.

        Raises:
            OSError: a port is taken; then none is left open.

        """
        sockets = self._bind_all()
        try:
            await self._listen(sockets)
        except OSError:
            await self.stop()
            for sock in sockets:
                sock.close()
            raise
        self.service.arm_timer()
        for warning in self.settings.warnings:
            logging.warning("config_ignored", why=warning)

    async def _listen(self, sockets: Sequence[socket.socket]) -> None:
        receive_buffer = bytearray(RECEIVE_BYTES)
        for endpoint, sock in zip(self.settings.endpoints, sockets, strict=True):
            port = endpoint.advertised_port or sock.getsockname()[1]
            self.advertise(endpoint.node_id, endpoint.advertised_host, port)
            listener = Listener(self.service, endpoint.node_id, receive_buffer)
            self.listeners.append(listener)
            await listener.start(sock)

    def _bind_all(self) -> list[socket.socket]:
        sockets: list[socket.socket] = []
        try:
            for endpoint in self.settings.endpoints:
                sockets.append(bind(endpoint.host, endpoint.port))  # noqa: PERF401 - closed below
        except OSError:
            for sock in sockets:
                sock.close()
            raise
        return sockets

    def advertise(self, node_id: int, host: str, port: int) -> None:
        """Tell clients where a broker is."""
        self.state.set_endpoint(node_id, host, port)
        release = self.settings.options.release
        settings: Mapping[str, str] = {
            **broker_identity(release, node_id),
            **broker_endpoint(release, host, port),
        }
        self.state.configs.set_broker_static(node_id, settings)

    def begin_anew(self) -> None:
        """Be as at the start: on the same ports, with the same topics, and nothing else.

        Everybody is hung up on. The addresses that clients are told stay, those that were changed
        included, and who listens to what happens goes on listening.

        Raises:
            OSError: the port of a broker that was killed is somebody else's by now.

        """
        before, clock = self.service, self._clock
        clock.reset()
        addresses = list(self.state.brokers.values())
        self.state = _new_state(self.settings, clock)
        self.service = service = Service(self.state, clock, before.loop)
        service.wakefulness = before.wakefulness
        for broker in addresses:
            self.advertise(broker.node_id, broker.host, broker.port)
        before.disarm_timer()
        service.tell(before.evidence)
        before.tell(None)
        self.control.begin_anew(service)
        for listener in self.listeners:
            listener.begin_anew(service)
        service.arm_timer()
        service.note("reset")

    async def open_admin(
        self, host: str, port: int, shut_down: Callable[[], None] | None = None
    ) -> None:
        """Open the HTTP door; `shut_down` stops the process, where HTTP may do that.

        Raises:
            OSError: the port is taken.
            ValueError: whoever reaches the address could command the cluster.

        """
        from mockbroker.admin.admin_port import AdminPort

        admin = AdminPort(self, host, port, shut_down)
        await admin.start()
        self.admin = admin

    async def stop(self) -> None:
        """Close every port and every connection."""
        if self.admin is not None:
            await self.admin.stop()
        self.control.close()
        self.service.disarm_timer()
        for listener in self.listeners:
            await listener.stop()
        self.listeners.clear()


def _new_state(settings: Settings, clock: WallClock) -> ClusterState:
    release = settings.options.release
    state = ClusterState(
        settings.options,
        [
            Broker(node_id=e.node_id, host=e.advertised_host, port=e.port, rack=e.rack)
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
    for topic in settings.topics:
        new_topic = NewTopic(name=topic.name, num_partitions=topic.num_partitions)
        state.create_topic(new_topic)
    return state


def _address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
