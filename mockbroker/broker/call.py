"""What a handler is told beside the request: who calls, of which broker, and when."""

from typing import TYPE_CHECKING, Final

from mockbroker.protocol.api_keys import ApiKey

if TYPE_CHECKING:
    from mockbroker.broker.service import Service
    from mockbroker.events.event_types import CallId
    from mockbroker.state.cluster_state import ClusterState

LOCALHOST: Final = "/127.0.0.1"


class Call:
    """One request on its way through the service."""

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
        """Take what the header says; the time is the state clock's at this wake-up.

        `client_host` is the client's address as Java writes it, such as `/127.0.0.1`; `listener`
        is the name of the one by which it came.
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
        """What listeners know it as; None for a call that nobody was told of."""
