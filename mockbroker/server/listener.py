"""Listeners of a cluster: one port or more for each broker, all on one event loop."""

import asyncio
import contextlib
import socket
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from mockbroker.broker.service import Service
from mockbroker.server.connection import RECEIVE_BYTES, Connection
from mockbroker.state.cluster_state import ClusterState

if TYPE_CHECKING:
    from mockbroker.broker.authentication.sasl_gate import SaslGate
    from mockbroker.broker.produce.fast_path.produce_path import ProducePath
    from mockbroker.server.tls.listener_tls import ListenerTls
    from mockbroker.server.tls.tls_transport import TlsTransport

NewGate: TypeAlias = Callable[[ClusterState, str, int], "SaslGate"]
"""Function that begins the authentication of a client, for a cluster, a listener and a broker."""


class ListenerSecurity(NamedTuple):
    """What a listener does before it serves the requests of a client."""

    tls: "ListenerTls | None" = None
    new_gate: NewGate | None = None
    """Begins the authentication of a client by SASL."""


PLAINTEXT: Final = ListenerSecurity()
_TLS_TRANSPORT: Final = "mockbroker.server.tls.tls_transport"
"""Loaded by name, so that a cluster without TLS does not import it."""
BACKLOG: Final = 4096
SEND_BUFFER_BYTES: Final = 512 * 1024
"""Send buffer of each connection: large responses stay in the processor's cache until read."""
_ROUNDS_TO_LEAVE: Final = 4
"""Rounds of the event loop until an accepted connection is made, aborted and lost."""


class Listener:
    """Port of one broker, with the connections that it accepted."""

    def __init__(
        self,
        service: Service,
        broker_id: int,
        receive_buffer: bytearray,
        name: str = "",
        security: ListenerSecurity = PLAINTEXT,
    ) -> None:
        """Create a listener of a broker; all listeners of a loop share the receive buffer."""
        self.name = name
        self.security = security
        """What it does before it serves requests."""
        self.service = service
        self.broker_id = broker_id
        self.connections: set[Connection] = set()
        self.is_stopping = False
        self.life = 0
        """Number of times that the port was reopened."""
        self.max_size_bytes: int = service.cluster.configs.broker_integer(
            "socket.request.max.bytes", broker_id
        )
        self._receive_buffer = receive_buffer
        self._server: asyncio.Server | None = None
        self._address: tuple[str, int] = ("", 0)
        self._reserved: socket.socket | None = None
        self._reopening: asyncio.Task[None] | None = None
        self._reopened: socket.socket | None = None
        self._check_changes()

    @property
    def receive_view(self) -> memoryview:
        """Receive buffer of a connection.

        Where the loop fills a buffer while other connections run (Windows), each needs its own.
        """
        shared = sys.platform != "win32"
        return memoryview(self._receive_buffer if shared else bytearray(RECEIVE_BYTES))

    def fast_path(self, connection_id: int, principal: str) -> "ProducePath":
        """Create the fast path of a connection that produces."""
        # Imported late: only producers need it.
        from mockbroker.broker.produce.fast_path.produce_path import fast_path_for

        return fast_path_for(self.service, self.broker_id, connection_id, principal)

    def new_gate(self) -> "SaslGate | None":
        """Begin the authentication of a connection's client, if it needs one."""
        new_gate = self.security.new_gate
        if new_gate is None:
            return None
        return new_gate(self.service.cluster, self.name, self.broker_id)

    def next_connection_id(self) -> int:
        """Return the next connection id, unique in the cluster."""
        return next(self.service.connection_ids)

    def new_connection(self, life: int) -> "Connection | TlsTransport":
        """Create the protocol of an accepted socket, by the number of the port's opening."""
        connection = Connection(self)
        connection.life = life
        tls = self.security.tls
        if tls is None:
            return connection
        configs = self.service.cluster.configs
        transport: TlsTransport = import_module(_TLS_TRANSPORT).TlsTransport(
            connection, tls, self.service.loop, partial(tls.context, configs), connection.is_late
        )
        return transport

    def files(self) -> list[int]:
        """Return the files of the port and its connections; all threads may ask for them."""
        sockets = [] if self._server is None else list(self._server.sockets)
        transports = [each.transport for each in list(self.connections)]
        sockets += [each.get_extra_info("socket") for each in transports if each is not None]
        files = [sock.fileno() for sock in filter(None, sockets)]
        return [each for each in files if each >= 0]

    async def start(self, sock: socket.socket) -> None:
        """Start to serve a bound socket."""
        self._address = sock.getsockname()[:2]
        self._server = await self.service.loop.create_server(
            partial(self.new_connection, self.life), sock=sock, backlog=BACKLOG
        )

    def reset(self, service: Service) -> None:
        """Abort all connections, and use another service for new ones.

        Raises:
            OSError: the port was closed, and another process has taken it.

        """
        self.service = service
        self._check_changes()
        self._abort_connections()
        if self.is_stopping:
            self.reopen()

    def _check_changes(self) -> None:
        """Have changes of the cluster's configs checked, if they may name files for TLS."""
        if self.security.tls is not None:
            cluster = self.service.cluster
            check = partial(self.security.tls.check, cluster.configs)
            cluster.configuration.broker_checks.append(check)

    def kill(self) -> None:
        """Close the port, abort all connections, and reserve the port for `reopen`.

        While it is reserved, no other process gets the port, and new connections are refused.
        """
        self._close()
        with contextlib.suppress(OSError):  # taken in the meantime: `reopen` will raise
            self._reserved = bind(*self._address)

    def reopen(self) -> None:
        """Accept connections again at the closed port.

        Raises:
            OSError: another process has taken the port.

        """
        sock, self._reserved = self._reserved or bind(*self._address), None
        self.is_stopping = False
        self.life += 1
        sock.listen(BACKLOG)  # clients can connect from now on; they are served a moment later
        self._reopening = self.service.loop.create_task(self.start(sock))
        self._reopened = sock

    async def stop(self) -> None:
        """Close the port, and abort all connections, including those just being accepted."""
        self._close()
        self.service.slices.abandon()
        if self._reserved is not None:
            self._reserved.close()
        if self._server is not None:
            with contextlib.suppress(asyncio.CancelledError):
                await self._server.wait_closed()
        for _ in range(_ROUNDS_TO_LEAVE):
            await asyncio.sleep(0)

    def _close(self) -> None:
        self.is_stopping = True
        if self._server is not None:
            self._server.close()
        if self._reopening is not None and not self._reopening.done():
            self._reopening.cancel()
            assert self._reopened is not None
            self._reopened.close()
        self._abort_connections()

    def _abort_connections(self) -> None:
        for connection in list(self.connections):
            connection.abort()
        if self.security.tls is not None:
            for handshaking in list(self.security.tls.handshaking):
                handshaking.abort()


def bind(host: str, port: int) -> socket.socket:
    """Bind a port.

    Raises:
        OSError: the port is taken, or the host is not local; `filename` is `host:port`.

    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        if sys.platform != "win32":
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Accepted connections inherit it.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)
        sock.bind((host, port))
        sock.setblocking(False)
    except OSError as error:
        sock.close()
        raise OSError(error.errno, error.strerror or str(error), f"{host}:{port}") from error
    return sock
