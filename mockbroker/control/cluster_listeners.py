"""The listeners of a cluster as a test sees them, and the addresses that they advertise."""

from typing import NamedTuple

from mockbroker.control.cluster_access import ClusterAccess
from mockbroker.settings.listener_settings import PLAINTEXT, parse_address


class ListenerView(NamedTuple):
    """A listener of a broker as a test looks at it."""

    name: str
    broker_id: int
    host: str
    """Where it is bound."""
    port: int
    advertised_host: str
    """Where clients are told that it is."""
    advertised_port: int


class ClusterListeners(ClusterAccess):
    """What can be done with listeners, as methods."""

    @property
    def listeners(self) -> list[ListenerView]:
        """All listeners that serve clients, by broker, the main one of each first.

        Raises:
            RuntimeError: the cluster is not running.

        """
        running = self._present
        return self._control.read(
            lambda _cluster, _now_ms: [
                ListenerView(
                    each.name,
                    broker_id,
                    each.host,
                    each.port,
                    each.advertised_host,
                    each.advertised_port,
                )
                for broker_id, listeners in running.advertised.by_broker.items()
                for each in listeners
            ]
        )

    def advertise(
        self, address: str, *, listener: str = PLAINTEXT, broker: int | None = None
    ) -> None:
        """Tell clients another address, `host:port`, for those that come by a listener.

        All brokers are meant unless one is named: the first has the port, each other one the next.
        Metadata, FindCoordinator and DescribeCluster answer so from the next request on; nobody is
        disconnected.

        Raises:
            LookupError: there is no such listener, or no such broker.
            RuntimeError: the cluster is not running.
            ValueError: the address is not one.

        """
        host, port = parse_address(address)
        running = self._present

        def change() -> None:
            running.advertised.advertise(listener.upper(), host, port, broker)
            running.advertised.tell(running.state)

        self._control.change(lambda _cluster, _now_ms: change())
