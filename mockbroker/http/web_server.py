"""uvicorn's HTTP protocol on the cluster's event loop, without uvicorn's server.

That server would wake up ten times a second, handle signals, and configure logging.
"""

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Final

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.http import reading
from mockbroker.http.application import Application
from mockbroker.http.guard import guard_of

if TYPE_CHECKING:
    from mockbroker.control.running_cluster import RunningCluster
    from mockbroker.http.endpoint import Host

KEEP_ALIVE_S: Final = 60
CONNECTIONS_MAX: Final = 1_000
"""Number of open connections from which on requests are answered 503."""
BYE_S: Final = 0.5
"""Time for responses to notice the shutdown."""
_SILENT: Final = logging.getLogger("mockbroker.http.server")
_SILENT.addHandler(logging.NullHandler())
_SILENT.propagate = False


class QuietProtocol(H11Protocol):
    """A connection without uvicorn's request log, which closes if a request is late.

    The application answers a late body, where it reads one. This closes connections whose head is
    late, or that send what nobody reads.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Take uvicorn's arguments."""
        super().__init__(*args, **kwargs)
        self.access_log = False
        self.logger = _SILENT
        self._arrival: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._expect_arrival()

    def data_received(self, data: bytes) -> None:
        """Process data, and wait for the rest of the request."""
        super().data_received(data)
        if self._is_incomplete():
            self._expect_arrival()
        else:
            self._cancel_arrival()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._cancel_arrival()
        super().connection_lost(exc)

    def _is_incomplete(self) -> bool:
        has_part_of_a_head = self.conn.their_state is h11.IDLE and self.conn.trailing_data[0] != b""
        return has_part_of_a_head or self.conn.their_state is h11.SEND_BODY

    def _expect_arrival(self) -> None:
        if self._arrival is None:
            self._arrival = self.loop.call_later(reading.ARRIVAL_S, self._late)

    def _cancel_arrival(self) -> None:
        if self._arrival is not None:
            self._arrival.cancel()
            self._arrival = None

    def _late(self) -> None:
        self._arrival = None
        if self.conn.their_state is h11.SEND_BODY and not self.cycle.response_complete:
            self._expect_arrival()
        else:
            self.transport.close()


class WebServer:
    """All connections of one admin port, and the application that answers them."""

    def __init__(
        self,
        cluster: "RunningCluster",
        host: "Host",
        address: str,
        token: str | None,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        """Serve a cluster on the port that is bound to an address; commands need the token."""
        self._loop: Final = loop
        self._state: Final = ServerState()
        self._config: Final = Config(
            Application(ClusterHandle(cluster), host, guard_of(address, token)),
            http=QuietProtocol,
            interface="asgi3",
            lifespan="off",
            limit_concurrency=CONNECTIONS_MAX,
            log_config=None,
            proxy_headers=False,
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE_S,
            ws="none",
        )
        self._config.load()

    def new_protocol(self) -> asyncio.Protocol:
        """Create the protocol of one connection."""
        return QuietProtocol(self._config, self._state, {}, self._loop)

    async def stop(self) -> None:
        """Close all connections; responses in progress end within `BYE_S`, or are cancelled."""
        tasks = list(self._state.tasks)
        late = (await asyncio.wait(tasks, timeout=BYE_S))[1] if tasks else ()
        for connection in list(self._state.connections):
            connection.transport.close()
        await asyncio.sleep(0)
        for connection in list(self._state.connections):
            connection.transport.abort()
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)
