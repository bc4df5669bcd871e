"""Share sessions: the partitions that a member fetches from a broker (KIP-932).

A session has an epoch, which each request must name and which then increases. Epoch 0 begins a
session anew, epoch -1 ends it. Unlike a fetch session, a share session is never evicted: when there
are too many, no new one begins. It ends with its connection.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import Uuid

INITIAL_EPOCH: Final = 0
FINAL_EPOCH: Final = -1
_LAST_EPOCH: Final = (1 << 31) - 1

PartitionId: TypeAlias = tuple[Uuid, int]


class MemberKey(NamedTuple):
    """A member of a share group, which has at most one session on a broker."""

    group_id: str
    member_id: str


class FetchedRecords(NamedTuple):
    """What a session needs to know of a partition in a response."""

    size_bytes: int
    error_code: int


class ShareSession:
    """A session and its partitions, in the order of its fetches (Kafka's `ShareSession`)."""

    __slots__ = ("connection_id", "partitions", "session_epoch", "unknown")

    def __init__(
        self,
        partitions: Iterable[PartitionId],
        connection_id: int,
        unknown: Iterable[PartitionId] = (),
    ) -> None:
        """Begin in epoch 1."""
        self.session_epoch = next_epoch(INITIAL_EPOCH)
        self.partitions: Final = dict.fromkeys(partitions, False)
        """True for a partition that the next response lists even without records."""
        self.unknown: Final = set(unknown)
        """Partitions whose topics did not exist when they were added to the session."""
        self.connection_id: Final = connection_id


class ShareContext:
    """The partitions of one ShareFetch, and which of them its response lists."""

    __slots__ = ("_session", "_session_epoch", "partitions", "unknown")

    def __init__(
        self,
        partitions: Sequence[PartitionId],
        session_epoch: int,
        session: ShareSession | None = None,
        unknown: Collection[PartitionId] = (),
    ) -> None:
        """Take the session of a fetch that continues one."""
        self.partitions: Final = partitions
        self._session_epoch: Final = session_epoch
        self._session: Final = session
        self.unknown: Final = unknown
        """Those whose topics did not exist when they were first fetched."""

    def select(self, fetched: Mapping[PartitionId, FetchedRecords]) -> list[PartitionId]:
        """Return the partitions that the response lists, and note that in the session.

        Raises:
            ApiError: INVALID_SHARE_SESSION_EPOCH if the session has gone on meanwhile.

        """
        session = self._session
        if session is None:
            return list(fetched)
        if session.session_epoch != next_epoch(self._session_epoch):
            raise ApiError(ErrorCode.INVALID_SHARE_SESSION_EPOCH)
        return [each for each, records in fetched.items() if _is_listed(session, each, records)]


def _is_listed(session: ShareSession, partition: PartitionId, records: FetchedRecords) -> bool:
    is_due = session.partitions.pop(partition, False)
    is_refused = records.error_code != ErrorCode.NONE
    session.partitions[partition] = is_refused
    return bool(records.size_bytes) or is_due or is_refused


class ShareSessions:
    """The sessions of a broker (Kafka's `ShareSessionCache`)."""

    __slots__ = ("_groups", "_sessions")

    def __init__(self) -> None:
        """Start empty."""
        self._sessions: Final[dict[MemberKey, ShareSession]] = {}
        self._groups: Final[dict[int, str]] = {}
        """The group of the last session that began on each connection, ended or not."""

    def __len__(self) -> int:
        """Count the sessions."""
        return len(self._sessions)

    def fetch(
        self,
        key: MemberKey,
        session_epoch: int,
        partitions: Sequence[PartitionId],
        *,
        forgotten: Iterable[PartitionId] = (),
        unknown: Collection[PartitionId] = (),
        acknowledges: bool = False,
        connection_id: int = 0,
        sessions_max: int,
    ) -> ShareContext:
        """Begin, continue or end a session with a ShareFetch.

        Raises:
            ApiError: SHARE_SESSION_NOT_FOUND, INVALID_SHARE_SESSION_EPOCH, INVALID_REQUEST for a
                first fetch that acknowledges, SHARE_SESSION_LIMIT_REACHED.

        """
        if session_epoch == FINAL_EPOCH:
            self._find(key)
            return ShareContext((), session_epoch)
        if session_epoch != INITIAL_EPOCH:
            session = self._find(key, session_epoch)
            session.unknown.update(unknown)
            return _continued(session, session_epoch, partitions, forgotten)
        if acknowledges:
            raise ApiError(ErrorCode.INVALID_REQUEST, "the first fetch acknowledges records")
        self._sessions.pop(key, None)
        if len(self._sessions) >= sessions_max:
            raise ApiError(ErrorCode.SHARE_SESSION_LIMIT_REACHED)
        self._sessions[key] = ShareSession(partitions, connection_id, unknown)
        self._groups[connection_id] = key.group_id
        return ShareContext(tuple(dict.fromkeys(partitions)), session_epoch, unknown=unknown)

    def acknowledge(self, key: MemberKey, session_epoch: int) -> None:
        """Continue a session with a ShareAcknowledge; its end comes with `remove`.

        Raises:
            ApiError: SHARE_SESSION_NOT_FOUND, INVALID_SHARE_SESSION_EPOCH.

        """
        if session_epoch == INITIAL_EPOCH:
            raise ApiError(ErrorCode.INVALID_SHARE_SESSION_EPOCH)
        if session_epoch == FINAL_EPOCH:
            self._find(key)
            return
        self._find(key, session_epoch).session_epoch = next_epoch(session_epoch)

    def remove(self, key: MemberKey) -> list[PartitionId]:
        """End a session, if there is one; return its partitions."""
        session = self._sessions.pop(key, None)
        return [] if session is None else list(session.partitions)

    def partitions_of(self, key: MemberKey) -> list[PartitionId]:
        """Return the partitions of a session; none if there is no session."""
        session = self._sessions.get(key)
        return [] if session is None else list(session.partitions)

    def keep(self, key: MemberKey, partitions: Iterable[PartitionId]) -> None:
        """Add partitions that had an error to a session, if there is one."""
        session = self._sessions.get(key)
        if session is not None:
            session.partitions.update(dict.fromkeys(partitions, True))

    def of_connection(self, connection_id: int) -> list[MemberKey]:
        """Return the members whose sessions began on a connection."""
        return [
            key for key, session in self._sessions.items() if session.connection_id == connection_id
        ]

    def closed(self, connection_id: int) -> str | None:
        """Forget a connection; return the group of its last session if that has none any more."""
        group_id = self._groups.pop(connection_id, None)
        is_used = any(key.group_id == group_id for key in self._sessions)
        return None if is_used else group_id

    def _find(self, key: MemberKey, session_epoch: int | None = None) -> ShareSession:
        session = self._sessions.get(key)
        if session is None:
            raise ApiError(ErrorCode.SHARE_SESSION_NOT_FOUND)
        if session_epoch is not None and session.session_epoch != session_epoch:
            raise ApiError(ErrorCode.INVALID_SHARE_SESSION_EPOCH, f"it is {session.session_epoch}")
        return session


def _continued(
    session: ShareSession,
    session_epoch: int,
    partitions: Iterable[PartitionId],
    forgotten: Iterable[PartitionId],
) -> ShareContext:
    for partition in partitions:
        session.partitions.setdefault(partition, True)
    for partition in forgotten:
        session.partitions.pop(partition, None)
        session.unknown.discard(partition)
    session.session_epoch = next_epoch(session_epoch)
    return ShareContext(tuple(session.partitions), session_epoch, session, session.unknown)


def next_epoch(session_epoch: int) -> int:
    """Return the epoch after another one."""
    return 1 if session_epoch == _LAST_EPOCH else session_epoch + 1
