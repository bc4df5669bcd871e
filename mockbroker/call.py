"""What a handler is told beside the request: who calls, of which broker, and when."""

from typing import TYPE_CHECKING

from mockbroker.protocol.api_keys import ApiKey

if TYPE_CHECKING:
    from mockbroker.service import Service
    from mockbroker.state.cluster_state import ClusterState


class Call:
    """One request on its way through the service."""

    __slots__ = (
        "api_key",
        "api_version",
        "broker_id",
        "client_id",
        "cluster",
        "connection_id",
        "correlation_id",
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
    ) -> None:
        """Take what the header says; the time is the state clock's at this wake-up."""
        self.service = service
        self.cluster: ClusterState = service.cluster
        self.broker_id = broker_id
        self.connection_id = connection_id
        self.api_key = api_key
        self.api_version = api_version
        self.correlation_id = correlation_id
        self.client_id = client_id
        self.now_ms = service.now_ms
