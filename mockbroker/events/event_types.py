"""Events of the service, as immutable values that subscribers may store.

The events of the state are in `mockbroker.state.events`; subscribers receive both.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.encoded import Encoded
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.schema.message import Message
from mockbroker.state.events import LogPosition, StateEvent

Applied: TypeAlias = Literal["before", "after", "never"]
"""When a request that a fault affects is applied: before the effect, after it, or never."""

Loss: TypeAlias = Literal["hang_up", "silence", "gone"]
"""Loss of a response: connection closed instead, nothing sent, or the client already gone."""


NO_CONNECTION: Final = 0
"""The connection of a call that a broker sends to another one; those of clients begin at 1."""


class CallId(NamedTuple):
    """Identity of one request of a client or a broker, in all events that result from it."""

    number: int
    """Number of the request in its cluster, from 1; counted while there are subscribers."""
    broker: int
    connection: int
    client_id: str | None
    api: ApiKey
    version: int
    correlation_id: int
    principal: str
    """The authenticated client, such as `User:alice`."""

    @property
    def is_between_brokers(self) -> bool:
        """True if a broker sent the request, and no client."""
        return self.connection == NO_CONNECTION


class RequestCame(NamedTuple):
    """A request was read, and will be handled next."""

    call: CallId
    request: Message
    """Its records are valid during the callback only: their buffer is reused."""


class AnswerGiven(NamedTuple):
    """A response was passed to the transport, immediately or after a delay."""

    call: CallId
    request: Message
    response: Message | Encoded | None
    """None where the protocol has no response, as for acks=0."""


class AnswerLost(NamedTuple):
    """A request gets no response; it may have been applied."""

    call: CallId
    how: Loss
    reason: str
    """`fault`, or the reason why the broker closed the connection."""


class Sender(NamedTuple):
    """Common fields of consecutive Produce requests of a connection."""

    broker: int
    connection: int
    client_id: str | None
    version: int
    acks: int
    transactional_id: str | None
    topic: str
    principal: str


NOBODY: Final = Sender(-1, 0, None, 0, 0, None, "", "")
"""Placeholder before the first request."""


class BatchProduced(NamedTuple):
    """A common-case request with one batch was received, appended, and answered without an error.

    It stands for RequestCame, BatchAppended and AnswerGiven.
    """

    number: int
    """Same numbering as `CallId.number`."""
    correlation_id: int
    sender: Sender
    fields: Sequence[int]
    """The batch's header, in the order of `BatchHeader`."""
    base_offset: int
    log: LogPosition
    """Position after the append."""


class ConnectionOpened(NamedTuple):
    """A client has connected."""

    broker: int
    connection: int
    client_host: str


class ConnectionClosed(NamedTuple):
    """A connection ended, by the client or by the broker."""

    broker: int
    connection: int


class HungUp(NamedTuple):
    """A broker closes a connection, for a reason."""

    broker: int
    connection: int
    reason: str
    facts: Mapping[str, object]


class FaultMade(NamedTuple):
    """A fault was added or replaced."""

    rule: str
    text: str


class FaultStruck(NamedTuple):
    """A fault fires on a call."""

    call: CallId
    rule: str
    effect: str
    applied: Applied
    items: Sequence[Mapping[str, object]]
    """The parts of the request that are affected, by selector names."""


class CallHeld(NamedTuple):
    """A fault holds a call, before it is handled or before it is answered."""

    call: CallId
    rule: str


class CallReleased(NamedTuple):
    """A held call was released; if its request was held, it is handled by now."""

    call: CallId
    rule: str
    error: ErrorCode | None
    """The first error in its response, if there is one."""


class FaultRemoved(NamedTuple):
    """A fault was removed."""

    rule: str


class ClockMoved(NamedTuple):
    """The state's clock is about to jump; timers that expire are reported after this."""

    before_ms: int
    after_ms: int


class ClusterEvent(NamedTuple):
    """Another control action on the cluster, such as a killed broker or a note of a test."""

    kind: str
    facts: Mapping[str, object]


Event: TypeAlias = (
    RequestCame
    | AnswerGiven
    | AnswerLost
    | BatchProduced
    | ConnectionOpened
    | ConnectionClosed
    | HungUp
    | FaultMade
    | FaultStruck
    | CallHeld
    | CallReleased
    | FaultRemoved
    | ClockMoved
    | ClusterEvent
    | StateEvent
)
"""Any event of a cluster."""
