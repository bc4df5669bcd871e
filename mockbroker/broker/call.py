"""Context of a request: the broker, the client and the time."""

from typing import TYPE_CHECKING, Final

from mockbroker.protocol.api_keys import ApiKey

if TYPE_CHECKING:
    from mockbroker.broker.service import Service
    from mockbroker.events.event_types import CallId
    from mockbroker.state.cluster_state import ClusterState

LOCALHOST: Final = "/127.0.0.1"


class Call:
    """Request that is being processed."""

    __slots__ = (
        "api_key",
        "api_version",
        "broker_id",
        "client_host",
        "client_id",
        "cluster",
        "connection_id",
        "correlation_id",
        "known_as",
        "listener",
        "now_ms",
        "service",
    )

    def __init__(
        self,
        service: "Service",
        *,
        broker_id: int,
        connection_id: int,
        api_key: ApiKey,
        api_version: int,
        correlation_id: int,
        client_id: str | None,
        client_host: str = LOCALHOST,
        listener: str = "",
    ) -> None:
        """Take the fields of the request header; the time is that of the service's clock.

        `client_host` is the client's address as Java formats it, such as `/127.0.0.1`; `listener`
        is the name of the listener that accepted the connection.
        """
        self.service = service
        self.cluster: ClusterState = service.cluster
        self.broker_id = broker_id
        self.connection_id = connection_id
        self.api_key = api_key
        self.api_version = api_version
        self.correlation_id = correlation_id
        self.client_id = client_id
        self.client_host = client_host
        self.listener = listener
        self.now_ms = service.now_ms
        self.known_as: CallId | None = None
        """Id of the call in events; None if no subscriber was notified of it."""
