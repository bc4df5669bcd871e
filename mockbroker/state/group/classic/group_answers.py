"""What members ask, and the answers for which they wait.

An `Awaited` is handed to the member at once. Its answer may be there already, or comes when the
rebalance has got that far; then the host is told, and whoever waits for it wakes.
"""

from typing import Final, Generic, NamedTuple, TypeVar

from mockbroker.protocol.errors import ErrorCode

UNKNOWN_MEMBER_ID: Final = ""
"""What a member calls itself before a coordinator has named it."""
NO_GENERATION: Final = -1
NO_LEADER: Final = ""

AnswerT = TypeVar("AnswerT")


class Awaited(Generic[AnswerT]):
    """An answer that is there, or to come. Known by its identity, which is what waits watch."""

    __slots__ = ("answer",)

    def __init__(self, answer: AnswerT | None = None) -> None:
        """Be answered already, or wait."""
        self.answer = answer


class JoinRequest(NamedTuple):
    """A request to be a member of a group."""

    group_id: str
    member_id: str
    """Empty for a member that has no name yet."""
    group_instance_id: str | None
    client_id: str
    client_host: str
    """The client's address as Java writes it, such as `/127.0.0.1`."""
    session_timeout_ms: int
    rebalance_timeout_ms: int
    protocol_type: str
    protocols: tuple[tuple[str, bytes], ...]
    """What the member can do, the best first: names, and what it says to the leader."""
    must_have_member_id: bool = False
    """Whether a new member is given an id and has to come again with it (KIP-394)."""
    may_skip_assignment: bool = False
    """Whether a leader that comes back understands that there is nothing to assign (KIP-814)."""
    reason: str | None = None
    """Why the client joins, in its own words (KIP-800)."""


class JoinedMember(NamedTuple):
    """A member as the leader is told of it."""

    member_id: str
    group_instance_id: str | None
    metadata: bytes


class JoinResult(NamedTuple):
    """The answer to a JoinRequest: a generation, or a refusal."""

    member_id: str
    code: ErrorCode = ErrorCode.NONE
    why: str = ""
    generation_id: int = NO_GENERATION
    protocol_type: str | None = None
    protocol_name: str | None = None
    leader_id: str = NO_LEADER
    skip_assignment: bool = False
    members: tuple[JoinedMember, ...] = ()
    """All members, for the leader; nobody, for the others."""


class SyncRequest(NamedTuple):
    """A request for the assignment of a generation; the leader's brings that of all members."""

    group_id: str
    generation_id: int
    member_id: str
    group_instance_id: str | None = None
    protocol_type: str | None = None
    protocol_name: str | None = None
    assignments: tuple[tuple[str, bytes], ...] = ()


class SyncResult(NamedTuple):
    """The answer to a SyncRequest: an assignment, or a refusal."""

    code: ErrorCode = ErrorCode.NONE
    why: str = ""
    protocol_type: str | None = None
    protocol_name: str | None = None
    assignment: bytes = b""


class LeavingMember(NamedTuple):
    """A member that leaves, by its id, by its instance's, or by both (KIP-345)."""

    member_id: str
    group_instance_id: str | None = None
    reason: str | None = None
