"""Requests of group members, and answers that may come later.

An `Awaited` is returned at once. Its answer is either there already, or arrives when the rebalance
has progressed far enough; then the host is notified, and the waiting request continues.
"""

from collections.abc import Callable
from typing import Final, Generic, NamedTuple, TypeAlias, TypeVar

from mockbroker.protocol.errors import ErrorCode

UNKNOWN_MEMBER_ID: Final = ""
"""The member id in requests of a member that the coordinator has not named yet."""
NO_GENERATION: Final = -1
NO_LEADER: Final = ""

TopicFilter: TypeAlias = Callable[[str], bool]
"""Tells by its name whether a client may describe a topic."""

AnswerT = TypeVar("AnswerT")


class Awaited(Generic[AnswerT]):
    """An answer that is present or pending. Waiters watch it by identity."""

    __slots__ = ("answer",)

    def __init__(self, answer: AnswerT | None = None) -> None:
        """Create it answered, or pending."""
        self.answer = answer


class JoinRequest(NamedTuple):
    """A request to join a group."""

    group_id: str
    member_id: str
    """Empty for a member that has no id yet."""
    group_instance_id: str | None
    client_id: str
    client_host: str
    """The client's address as Java writes it, such as `/127.0.0.1`."""
    session_timeout_ms: int
    rebalance_timeout_ms: int
    protocol_type: str
    protocols: tuple[tuple[str, bytes], ...]
    """The protocols the member supports, preferred first: names, and metadata for the leader."""
    must_have_member_id: bool = False
    """True if a new member is given an id, and has to join again with it (KIP-394)."""
    may_skip_assignment: bool = False
    """True if a rejoining leader supports the `skip_assignment` field (KIP-814)."""
    reason: str | None = None
    """The client's reason to join, for the log (KIP-800)."""
    may_describe: TopicFilter | None = None
    """The topics that the client has a right to; None: all."""


class JoinedMember(NamedTuple):
    """A member as JoinGroup lists it for the leader."""

    member_id: str
    group_instance_id: str | None
    metadata: bytes


class JoinResult(NamedTuple):
    """The answer to a JoinRequest: a generation, or an error."""

    member_id: str
    code: ErrorCode = ErrorCode.NONE
    why: str = ""
    generation_id: int = NO_GENERATION
    protocol_type: str | None = None
    protocol_name: str | None = None
    leader_id: str = NO_LEADER
    skip_assignment: bool = False
    members: tuple[JoinedMember, ...] = ()
    """All members for the leader; empty for the others."""


class SyncRequest(NamedTuple):
    """A request for a member's assignment; the leader's request carries those of all members."""

    group_id: str
    generation_id: int
    member_id: str
    group_instance_id: str | None = None
    protocol_type: str | None = None
    protocol_name: str | None = None
    assignments: tuple[tuple[str, bytes], ...] = ()


class SyncResult(NamedTuple):
    """The answer to a SyncRequest: an assignment, or an error."""

    code: ErrorCode = ErrorCode.NONE
    why: str = ""
    protocol_type: str | None = None
    protocol_name: str | None = None
    assignment: bytes = b""


class LeavingMember(NamedTuple):
    """A member that leaves: by its member id, its instance id, or both (KIP-345)."""

    member_id: str
    group_instance_id: str | None = None
    reason: str | None = None
