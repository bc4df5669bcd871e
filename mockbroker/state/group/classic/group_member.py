"""A member of a classic group (Kafka's `ClassicGroupMember`)."""

from collections.abc import Container
from typing import Final

from mockbroker.state.group.classic.group_answers import (
    Awaited,
    JoinRequest,
    JoinResult,
    SyncResult,
)
from mockbroker.state.group.group_log_record import (
    SAME_AS_SESSION_TIMEOUT_MS,
    MemberMetadataValue,
)

Protocols = tuple[tuple[str, bytes], ...]
"""Names of protocols, preferred first, each with the member's metadata for the leader."""


class GroupMember:
    """One member: its last JoinGroup, its assignment, and its pending answers."""

    __slots__ = (
        "assignment",
        "awaited_join",
        "awaited_sync",
        "client_host",
        "client_id",
        "group_instance_id",
        "is_new",
        "joined_client_id",
        "member_id",
        "protocol_type",
        "rebalance_timeout_ms",
        "session_deadline_ms",
        "session_timeout_ms",
        "supported_protocols",
    )

    def __init__(
        self,
        member_id: str,
        *,
        group_instance_id: str | None,
        client_id: str,
        client_host: str,
        rebalance_timeout_ms: int,
        session_timeout_ms: int,
        protocol_type: str,
        supported_protocols: Protocols,
        assignment: bytes = b"",
    ) -> None:
        """Create a member without pending answers."""
        self.member_id: Final = member_id
        self.group_instance_id: Final = group_instance_id
        self.client_id: Final = client_id
        self.client_host: Final = client_host
        self.joined_client_id = client_id
        """The client id with which it has joined last. Kafka keeps that of the first one for a
        static member that was replaced; after a failover, no other is known."""
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.session_timeout_ms = session_timeout_ms
        self.protocol_type: Final = protocol_type
        self.supported_protocols = supported_protocols
        self.assignment = assignment
        self.awaited_join: Awaited[JoinResult] | None = None
        self.awaited_sync: Awaited[SyncResult] | None = None
        self.is_new = False
        """True while it waits for its first generation; it may then be removed while it waits."""
        self.session_deadline_ms: int | None = None
        """Time at which its session expires; None while it cannot expire."""

    @staticmethod
    def joining(member_id: str, request: JoinRequest) -> "GroupMember":
        """Create a new member from its request."""
        member = GroupMember(
            member_id,
            group_instance_id=request.group_instance_id,
            client_id=request.client_id,
            client_host=request.client_host,
            rebalance_timeout_ms=request.rebalance_timeout_ms,
            session_timeout_ms=request.session_timeout_ms,
            protocol_type=request.protocol_type,
            supported_protocols=request.protocols,
        )
        member.is_new = True
        return member

    @staticmethod
    def from_log_value(
        value: MemberMetadataValue, protocol_type: str, protocol_name: str | None
    ) -> "GroupMember":
        """Create a member from its record in the log; it supports only the selected protocol."""
        is_old = value.rebalance_timeout_ms == SAME_AS_SESSION_TIMEOUT_MS
        return GroupMember(
            value.member_id,
            group_instance_id=value.group_instance_id,
            client_id=value.client_id,
            client_host=value.client_host,
            rebalance_timeout_ms=value.session_timeout_ms if is_old else value.rebalance_timeout_ms,
            session_timeout_ms=value.session_timeout_ms,
            protocol_type=protocol_type,
            supported_protocols=((protocol_name or "", value.subscription),),
            assignment=value.assignment,
        )

    def to_log_value(self, protocol_name: str | None, assignment: bytes) -> MemberMetadataValue:
        """Return the member's record for the log, with an assignment that it is about to get."""
        return MemberMetadataValue(
            self.member_id,
            self.group_instance_id,
            self.client_id,
            self.client_host,
            self.rebalance_timeout_ms,
            self.session_timeout_ms,
            self.metadata(protocol_name),
            assignment,
        )

    def renamed(self, member_id: str) -> "GroupMember":
        """Return a copy of this member with another id and without pending answers."""
        return GroupMember(
            member_id,
            group_instance_id=self.group_instance_id,
            client_id=self.client_id,
            client_host=self.client_host,
            rebalance_timeout_ms=self.rebalance_timeout_ms,
            session_timeout_ms=self.session_timeout_ms,
            protocol_type=self.protocol_type,
            supported_protocols=self.supported_protocols,
            assignment=self.assignment,
        )

    @property
    def is_static(self) -> bool:
        """True if the member keeps its place when it restarts (KIP-345)."""
        return self.group_instance_id is not None

    @property
    def has_satisfied_heartbeat(self) -> bool:
        """True if the member is certainly alive: it has an id and waits for an answer."""
        return not self.is_new and (self.awaited_join is not None or self.awaited_sync is not None)

    @property
    def protocol_names(self) -> frozenset[str]:
        """The names of the member's protocols."""
        return frozenset(name for name, _ in self.supported_protocols)

    def metadata(self, protocol_name: str | None) -> bytes:
        """Return the member's metadata for a protocol that it supports."""
        for name, metadata in self.supported_protocols:
            if name == protocol_name:
                return metadata
        raise AssertionError((self.member_id, protocol_name, self.supported_protocols))

    def vote(self, candidates: Container[str]) -> str:
        """Return the first of the member's protocols that is a candidate."""
        return next(name for name, _ in self.supported_protocols if name in candidates)

    def as_text(self) -> str:
        """Show the member in a stable form."""
        waits = [
            name
            for name, awaited in (("join", self.awaited_join), ("sync", self.awaited_sync))
            if awaited is not None
        ]
        return (
            f"member {self.member_id} instance {self.group_instance_id} of {self.client_id}"
            f" {self.client_host} timeouts {self.rebalance_timeout_ms} {self.session_timeout_ms}"
            f" {self.supported_protocols} assigned {self.assignment!r}"
            f" until {self.session_deadline_ms} waits for {waits}{' new' if self.is_new else ''}"
        )
