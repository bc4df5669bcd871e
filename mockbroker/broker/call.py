"""Context of a request: the broker, the client and the time; and what a handler makes of it."""

from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, TypeVar, cast

from mockbroker.broker.delayed import DelayedResponse
from mockbroker.broker.outcomes import Unanswered
from mockbroker.broker.slices.steps import Lazily, Pace
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.encoded import Encoded
from mockbroker.protocol.schema.message import Message

if TYPE_CHECKING:
    from mockbroker.broker.service import Service
    from mockbroker.events.event_types import CallId
    from mockbroker.state.cluster_state import ClusterState
    from mockbroker.state.security.acl import AclOperation, AclResource

S = TypeVar("S")
T = TypeVar("T")

ANONYMOUS: Final = "User:ANONYMOUS"
"""Principal of a client that has not authenticated."""
LOCALHOST: Final = "/127.0.0.1"


class Call:
    """Request that is being processed."""

    __slots__ = (
        "api_key",
        "api_version",
        "broker_id",
        "call_id",
        "client_host",
        "client_id",
        "cluster",
        "connection_id",
        "correlation_id",
        "from_broker",
        "listener",
        "now_ms",
        "pace",
        "principal",
        "request_bytes",
        "service",
        "throttle_ms",
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
        principal: str = ANONYMOUS,
        from_broker: int | None = None,
    ) -> None:
        """Take the fields of the request header; the time is that of the service's clock.

        `client_host` is the client's address as Java formats it, such as `/127.0.0.1`; `listener`
        is the name of the listener that accepted the connection; `principal` is the authenticated
        client, such as `User:alice`. `from_broker` is the broker that sent the request, if it was
        no client (`broker_call`).
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
        self.principal = principal
        self.from_broker = from_broker
        self.now_ms = service.now_ms
        self.call_id: CallId | None = None
        """Id of the call in events; None if no subscriber was notified of it."""
        self.request_bytes = 0
        """Size of the request."""
        self.throttle_ms = 0
        """Time after the response for which the connection is served no more."""
        self.pace: Pace | None = None
        """Pauses of a large request; None for a request that is handled at once."""

    def allows(
        self, operation: "AclOperation", resource_type: "AclResource", name: str = ""
    ) -> bool:
        """Return whether the client may do an operation on a resource, or on the cluster."""
        authorizer = self.service.cluster.authorizer
        return authorizer is None or authorizer.allows(
            self.principal, self.client_address, operation, (resource_type, name)
        )

    @property
    def client_address(self) -> str:
        """The client's address as ACLs name it, such as `127.0.0.1`."""
        return self.client_host.removeprefix("/")

    def paced(self, items: Iterable[T]) -> Iterable[T]:
        """Yield the items of a loop in a handler; other connections may be served between two."""
        return items if self.pace is None else self.pace.items(items)

    def each(self, describe: Callable[[T], S], items: Collection[T]) -> list[S]:
        """Return the result of a function for each item, for an array of the response.

        In a large request, the function is called while the response is encoded, so that only one
        result exists at a time; unless faults or subscribers need the response.
        """
        if self.pace is None or self.service.faults is not None or self.call_id is not None:
            return [describe(item) for item in self.paced(items)]
        return cast("list[S]", Lazily(describe, items, self.pace))


Answer: TypeAlias = Message | Encoded | DelayedResponse | Unanswered | None
"""Result of a handler: a response, its encoded body, a delayed response, `Unanswered` (a fault
drops the response) or None (acks=0)."""

Handle: TypeAlias = Callable[[Any, Call], Answer]


class CallWrapper(Protocol):
    """The one port by which faults and quotas reach the request path."""

    def around(self, handle: Handle) -> Handle:
        """Wrap a handler into the faults that apply to its call."""
        ...


class IsolatedView(CallWrapper, Protocol):
    """The calls of an isolated broker, which use the state that it last knew."""

    view: "ClusterState"


class CallHolder(Protocol):
    """Holds calls until a condition is met."""

    def look(self) -> None:
        """Release the calls whose condition is met by now."""
        ...
