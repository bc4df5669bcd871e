"""uvicorn's HTTP protocol on the cluster's event loop, without uvicorn's server.

That server would wake up ten times a second, handle signals, and configure logging.
"""

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Final

from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.http.application import Application
from mockbroker.http.guard import guard_of

if TYPE_CHECKING:
    from mockbroker.control.running_cluster import RunningCluster
    from mockbroker.http.endpoint import Host

KEEP_ALIVE_S: Final = 60
BYE_S: Final = 0.5
"""Time for responses to notice the shutdown."""
_SILENT: Final = logging.getLogger("mockbroker.http.server")
_SILENT.addHandler(logging.NullHandler())
_SILENT.propagate = False


class QuietProtocol(H11Protocol):
    """A connection without uvicorn's request log; mockbroker logs its own errors."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Take uvicorn's arguments."""
        super().__init__(*args, **kwargs)
        self.access_log = False
        self.logger = _SILENT


class WebServer:
    """All connections of one admin port, and the application that answers them."""

    def __init__(
        self,
        cluster: "RunningCluster",
        host: "Host",
        address: str,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        """Serve a cluster on the port that is bound to an address."""
        self._loop: Final = loop
        self._state: Final = ServerState()
        self._config: Final = Config(
            Application(ClusterHandle(cluster), host, guard_of(address)),
            http=QuietProtocol,
            interface="asgi3",
            lifespan="off",
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
