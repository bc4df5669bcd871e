"""Port of the HTTP API: opened at the start; the web framework is imported at the first use."""

import asyncio
import contextlib
import os
from collections.abc import Callable
from importlib.util import find_spec
from secrets import token_urlsafe
from threading import Thread
from typing import TYPE_CHECKING, Final

from mockbroker.errors import install_hint
from mockbroker.events import logging
from mockbroker.http.address import TOKEN, is_loopback
from mockbroker.http.early_connection import EarlyConnection
from mockbroker.server.listener import bind

if TYPE_CHECKING:
    from mockbroker.broker.service import Service
    from mockbroker.control.running_cluster import RunningCluster
    from mockbroker.http.endpoints.metrics import Metrics
    from mockbroker.http.web_server import WebServer

EXTRA: Final = install_hint("http")
_NEEDED: Final = ("starlette", "uvicorn", "prometheus_client")
_ROUNDS_TO_LEAVE: Final = 4
_TOKEN_BYTES: Final = 18
_WHY_A_TOKEN: Final = (
    f"other machines reach the HTTP API: commands need this token, unless {TOKEN} sets another"
)


def is_installed() -> bool:
    """Return whether the extra `http` is installed."""
    return all(find_spec(name) is not None for name in _NEEDED)


class AdminPort:
    """HTTP API of one cluster, on the cluster's event loop."""

    def __init__(
        self,
        cluster: "RunningCluster",
        host: str,
        port: int,
        shut_down: Callable[[], None] | None = None,
        *,
        has_tls: bool = False,
    ) -> None:
        """Set the address; `shut_down` stops the process, if this port may do that."""
        self._has_tls: Final = has_tls
        self.token = os.environ.get(TOKEN) or None
        """Token that commands need; on other addresses than loopback one is made at the start."""
        self._cluster: Final = cluster
        self._host: Final = host
        self._port: Final = port
        self._shut_down: Final = shut_down
        self._loop: asyncio.AbstractEventLoop | None = None
        self._server: asyncio.Server | None = None
        self._web: WebServer | None = None
        self._importing: Thread | None = None
        self._metrics: Metrics | None = None
        self._waiting: dict[EarlyConnection, None] = {}
        self.stop_watchers: Final[list[Callable[[], None]]] = []
        """Called when the port closes, for answers that wait."""
        self.is_stopping = False
        self.url = ""

    async def start(self) -> None:
        """Open the port.

        Raises:
            OSError: the port is taken.
            RuntimeError: TLS is wanted, and the cluster issues no certificates.

        """
        context = self._cluster.security.admin_context(self._host) if self._has_tls else None
        sock = bind(self._host, self._port)
        if self.token is None and not is_loopback(self._host):
            self.token = token_urlsafe(_TOKEN_BYTES)
            # Shown on purpose: whoever reads the log may command the cluster.
            logging.warning("admin_token", token=self.token, why=_WHY_A_TOKEN)
        self._loop = asyncio.get_running_loop()
        self._server = await self._loop.create_server(self._new_protocol, sock=sock, ssl=context)
        self.url = _url(self._host, sock.getsockname()[1], "https" if self._has_tls else "http")

    async def stop(self) -> None:
        """Close the port, end waiting requests, and close all connections."""
        self.is_stopping = True
        if self._server is not None:
            self._server.close()
        for watcher in tuple(self.stop_watchers):
            watcher()
        if self._importing is not None:
            self._importing.join()
        for connection in tuple(self._waiting):
            connection.abort()
        if self._web is not None:
            await self._web.stop()
        if self._server is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await self._server.wait_closed()
        for _ in range(_ROUNDS_TO_LEAVE):
            await asyncio.sleep(0)

    def shut_down(self) -> bool:
        """Stop the process soon; return False if this port may not stop it."""
        if self._shut_down is None:
            return False
        assert self._loop is not None
        self._loop.call_soon(self._shut_down)
        return True

    @property
    def service(self) -> "Service":
        """The service that answers clients; a reset of the cluster replaces it."""
        return self._cluster.service

    def metrics_text(self) -> bytes:
        """Write the cluster's metrics as Prometheus reads them."""
        if self._metrics is None:
            # Imported late: only scrapes need prometheus_client.
            from mockbroker.http.endpoints.metrics import Metrics

            self._metrics = Metrics(self._cluster)
        return self._metrics.text()

    def arrived(self, connection: EarlyConnection) -> None:
        """Add a waiting connection, and start the import of the application."""
        self._waiting[connection] = None
        if self._importing is None:
            self._importing = Thread(target=self._import, name="mockbroker-admin-import")
            self._importing.start()

    def left(self, connection: EarlyConnection) -> None:
        """Remove a waiting connection that was closed."""
        self._waiting.pop(connection, None)

    def _new_protocol(self) -> asyncio.Protocol:
        return EarlyConnection(self) if self._web is None else self._web.new_protocol()

    def _import(self) -> None:
        # Imported late, on a thread: a start does not wait for the web framework.
        from mockbroker.http.web_server import WebServer

        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._open, WebServer)

    def _open(self, web_server: "type[WebServer]") -> None:
        """Let in who waits, unless the port was closed meanwhile."""
        if self.is_stopping:
            return
        assert self._loop is not None
        self._web = web_server(self._cluster, self, self._host, self.token, self._loop)
        waiting, self._waiting = list(self._waiting), {}
        for connection in waiting:
            connection.hand_over(self._web.new_protocol())


def _url(host: str, port: int, scheme: str) -> str:
    name = "127.0.0.1" if host in {"0.0.0.0", ""} else host
    return f"{scheme}://[{name}]:{port}" if ":" in name else f"{scheme}://{name}:{port}"
