"""Cache of a broker's fetch sessions, and its eviction rules.

A full cache accepts a new session only in place of another (KIP-227): of the least recently used
one, if it has been unused for more than two minutes; else of the smallest one that was still used
more than two minutes after its creation, if the new one has more partitions. Kafka's third rule is
for followers, which do not fetch here.
"""

from collections.abc import Callable
from typing import Final

from mockbroker.state.fetch.fetch_session import (
    INVALID_SESSION_ID,
    FetchPartition,
    FetchSession,
    PartitionKey,
)

DEFAULT_SLOTS: Final = 1000
EVICTION_MS: Final = 120_000


class FetchSessionCache:
    """A broker's sessions by id (Kafka's `FetchSessionCache` with one shard).

    `slots` is `max.incremental.fetch.session.cache.slots`; with 0 there are no sessions.
    """

    __slots__ = ("_allocate_session_id", "_sessions", "slots")

    def __init__(
        self, allocate_session_id: Callable[[], int], *, slots: int = DEFAULT_SLOTS
    ) -> None:
        """Start empty; the allocator returns positive 31-bit numbers, possibly repeated."""
        self._allocate_session_id = allocate_session_id
        self.slots = slots
        self._sessions: dict[int, FetchSession] = {}

    def __len__(self) -> int:
        """Count the sessions."""
        return len(self._sessions)

    def get(self, session_id: int) -> FetchSession | None:
        """Return the session with this id."""
        return self._sessions.get(session_id)

    def remove(self, session_id: int) -> None:
        """Close the session with this id, if there is one."""
        self._sessions.pop(session_id, None)

    def touch(self, session: FetchSession, now_ms: int) -> None:
        """Record the use of a session, which makes it the last to be evicted for its age."""
        session.last_used_ms = now_ms
        session.is_evictable = now_ms - session.created_ms > EVICTION_MS
        self._sessions[session.session_id] = self._sessions.pop(session.session_id)

    def maybe_create_session(
        self, partitions: dict[PartitionKey, FetchPartition], *, uses_topic_ids: bool, now_ms: int
    ) -> int:
        """Create a session if there is room or another can be evicted; return its id, or 0."""
        if len(self._sessions) >= self.slots and not self._try_evict(len(partitions), now_ms):
            return INVALID_SESSION_ID
        session_id = self._allocate_session_id()
        while session_id == INVALID_SESSION_ID or session_id in self._sessions:
            session_id = self._allocate_session_id()
        self._sessions[session_id] = FetchSession(
            session_id, partitions, uses_topic_ids=uses_topic_ids, now_ms=now_ms
        )
        return session_id

    def _try_evict(self, size: int, now_ms: int) -> bool:
        if not self._sessions:
            return False
        candidate = next(iter(self._sessions.values()))
        if now_ms - candidate.last_used_ms <= EVICTION_MS:
            evictable = [session for session in self._sessions.values() if session.is_evictable]
            if not evictable:
                return False
            candidate = min(evictable, key=lambda each: (len(each.partitions), each.session_id))
            if size <= len(candidate.partitions):
                return False
        self.remove(candidate.session_id)
        return True
