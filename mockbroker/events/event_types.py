"""What happens in the service, as values that whoever listens may keep: nothing in them changes.

What happens in the state stands in `mockbroker.state.events`; listeners are told of both.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.encoded import Encoded
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.schema.message import Message
from mockbroker.state.events import LogPosition, StateEvent

Applied: TypeAlias = Literal["before", "after", "never"]
"""Whether a request that a fault strikes is applied: before the effect, after it, or never."""

Loss: TypeAlias = Literal["hang_up", "silence", "gone"]
"""How an answer is lost: the connection is closed instead, nothing comes, or nobody is there."""


class CallId(NamedTuple):
    """One request of a client, as everything that comes of it names it."""

    number: int
    """Counts the requests of a cluster, from 1, while anybody listens."""
    broker: int
    connection: int
    client_id: str | None
    api: ApiKey
    version: int
    correlation_id: int


class RequestCame(NamedTuple):
    """A request was read, and is about to be handled."""

    call: CallId
    request: Message
    """Look at its records now: they are in a buffer that is used again."""


class AnswerGiven(NamedTuple):
    """An answer was given to the transport, at once or when it was due."""

    call: CallId
    request: Message
    response: Message | Encoded | None
    """None where the protocol has no answer, as for acks=0."""


class AnswerLost(NamedTuple):
    """A request that its client will never see answered; it may have been applied."""

    call: CallId
    how: Loss
    reason: str
    """`fault`, or why the broker hung up."""


class Sender(NamedTuple):
    """What the produce requests of a connection have in common that begin alike."""

    broker: int
    connection: int
    client_id: str | None
    version: int
    acks: int
    transactional_id: str | None
    topic: str


NOBODY: Final = Sender(-1, 0, None, 0, 0, None, "")
"""Who has sent nothing yet."""


class BatchProduced(NamedTuple):
    """A plain request with one batch came, was appended, and was answered without an error.

    It stands for RequestCame, BatchAppended and AnswerGiven.
    """

    number: int
    """As `CallId.number`."""
    correlation_id: int
    sender: Sender
    fields: Sequence[int]
    """The batch's header, in the order of `BatchHeader`."""
    base_offset: int
    log: LogPosition
    """After the append."""


class ConnectionOpened(NamedTuple):
    """A client has connected."""

    broker: int
    connection: int
    client_host: str


class ConnectionClosed(NamedTuple):
    """A connection is over, whoever ended it."""

    broker: int
    connection: int


class HungUp(NamedTuple):
    """A broker ends a connection, and why."""

    broker: int
    connection: int
    reason: str
    facts: Mapping[str, object]


class FaultMade(NamedTuple):
    """A rule is in force, or is another one from now on."""

    rule: str
    text: str


class FaultStruck(NamedTuple):
    """A rule strikes a call."""

    call: CallId
    rule: str
    effect: str
    applied: Applied
    items: Sequence[Mapping[str, object]]
    """What of the request it is about, by the names of selectors."""


class CallHeld(NamedTuple):
    """A rule holds a call, before it is handled or before it is answered."""

    call: CallId
    rule: str


class CallReleased(NamedTuple):
    """A call is held no more; a request that was held has been handled by now."""

    call: CallId
    rule: str
    error: ErrorCode | None
    """The first error of its answer, if it has one."""


class FaultRemoved(NamedTuple):
    """A rule is no more."""

    rule: str


class ClockMoved(NamedTuple):
    """The state's clock is about to jump; what falls due is told after this."""

    before_ms: int
    after_ms: int


class ClusterEvent(NamedTuple):
    """Something else was done to the cluster: a broker was killed, a test wrote a note."""

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
"""Anything that happens in a cluster."""
