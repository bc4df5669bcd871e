"""Fetch requests in the context of their sessions (KIP-227)."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.fetch.fetch_session import (
    FINAL_EPOCH,
    INITIAL_EPOCH,
    INVALID_SESSION_ID,
    FetchedPartition,
    FetchPartition,
    FetchSession,
    PartitionKey,
    next_session_epoch,
)
from mockbroker.state.fetch.fetch_session_cache import FetchSessionCache


class FetchSelection(NamedTuple):
    """The session id and the partitions of a fetch response.

    `indexes` refer to the argument of `complete`. With an error there are none.
    """

    session_id: int
    indexes: Sequence[int]
    error_code: ErrorCode = ErrorCode.NONE


class FetchContext(Protocol):
    """One fetch request of a session, until its response (Kafka's `FetchContext`)."""

    def partitions(self) -> Sequence[FetchPartition]:
        """Return the partitions to read, in this order."""
        ...

    def complete(self, fetched: Sequence[FetchedPartition]) -> FetchSelection:
        """Select the partitions for the response; called once, right before it is sent."""
        ...


class SessionlessFetchContext:
    """A request without a session: it gets all partitions, and creates no state."""

    __slots__ = ("_partitions",)

    def __init__(self, partitions: dict[PartitionKey, FetchPartition]) -> None:
        """Create it from the request's partitions."""
        self._partitions = partitions

    def partitions(self) -> Sequence[FetchPartition]:
        """Return the request's partitions."""
        return list(self._partitions.values())

    def complete(self, fetched: Sequence[FetchedPartition]) -> FetchSelection:
        """Select all partitions."""
        return FetchSelection(INVALID_SESSION_ID, range(len(fetched)))


class FullFetchContext:
    """A request for a new session: it gets all partitions, and the session if there is room."""

    __slots__ = ("_cache", "_now_ms", "_partitions", "_uses_topic_ids")

    def __init__(
        self,
        cache: FetchSessionCache,
        partitions: dict[PartitionKey, FetchPartition],
        *,
        uses_topic_ids: bool,
        now_ms: int,
    ) -> None:
        """Create it from the request's partitions, and the cache for its session."""
        self._cache = cache
        self._now_ms = now_ms
        self._partitions = partitions
        self._uses_topic_ids = uses_topic_ids

    def partitions(self) -> Sequence[FetchPartition]:
        """Return the request's partitions."""
        return list(self._partitions.values())

    def complete(self, fetched: Sequence[FetchedPartition]) -> FetchSelection:
        """Select all partitions, and create the session."""
        for answer in fetched:
            self._partitions[answer.key].note_sent(answer)
        session_id = self._cache.maybe_create_session(
            self._partitions, uses_topic_ids=self._uses_topic_ids, now_ms=self._now_ms
        )
        return FetchSelection(session_id, range(len(fetched)))


class IncrementalFetchContext:
    """A request within a session: it reads all partitions, and gets those that changed."""

    __slots__ = ("_expected_epoch", "_rotates_all_news", "_session")

    def __init__(self, session: FetchSession, *, rotates_all_news: bool) -> None:
        """Create it for a session whose epoch this request has just incremented."""
        self._session = session
        self._rotates_all_news = rotates_all_news
        self._expected_epoch = session.session_epoch

    def partitions(self) -> Sequence[FetchPartition]:
        """Return all partitions of the session, those without records for longest first."""
        return list(self._session.partitions.values())

    def complete(self, fetched: Sequence[FetchedPartition]) -> FetchSelection:
        """Select the changed partitions; INVALID_FETCH_SESSION_EPOCH if the session moved on."""
        session = self._session
        if session.session_epoch != self._expected_epoch:
            return FetchSelection(session.session_id, (), ErrorCode.INVALID_FETCH_SESSION_EPOCH)
        indexes = session.select(fetched, rotates_all_news=self._rotates_all_news)
        return FetchSelection(session.session_id, indexes)


class FetchManager:
    """Creates contexts for fetch requests (Kafka's `FetchManager`); one per broker."""

    __slots__ = ("_rotates_all_news", "cache")

    def __init__(self, cache: FetchSessionCache, *, rotates_all_news: bool = False) -> None:
        """Store sessions in `cache`; the release determines the order in which they are read."""
        self.cache = cache
        self._rotates_all_news = rotates_all_news

    def new_context(
        self,
        session_id: int,
        session_epoch: int,
        wishes: Iterable[FetchPartition],
        forgotten: Iterable[PartitionKey] = (),
        *,
        uses_topic_ids: bool,
        now_ms: int,
    ) -> FetchContext:
        """Return the context of a request, and advance its session.

        Fetch before v7 has no sessions: session id 0 and epoch -1. From v13 on it uses topic ids.

        Raises:
            ApiError: FETCH_SESSION_ID_NOT_FOUND, INVALID_FETCH_SESSION_EPOCH,
                FETCH_SESSION_TOPIC_ID_ERROR: the error of the whole response, with session id 0.

        """
        partitions = {wish.key: wish for wish in wishes}
        if session_epoch == FINAL_EPOCH:
            self.cache.remove(session_id)
            return SessionlessFetchContext(partitions)
        if session_epoch == INITIAL_EPOCH:
            self.cache.remove(session_id)
            return FullFetchContext(
                self.cache, partitions, uses_topic_ids=uses_topic_ids, now_ms=now_ms
            )
        session = self._checked_session(session_id, session_epoch, uses_topic_ids=uses_topic_ids)
        session.update(partitions, forgotten)
        if not session.partitions:
            self.cache.remove(session_id)
            return SessionlessFetchContext(partitions)
        self.cache.touch(session, now_ms)
        session.session_epoch = next_session_epoch(session_epoch)
        return IncrementalFetchContext(session, rotates_all_news=self._rotates_all_news)

    def _checked_session(
        self, session_id: int, session_epoch: int, *, uses_topic_ids: bool
    ) -> FetchSession:
        session = self.cache.get(session_id)
        if session is None:
            raise ApiError(
                ErrorCode.FETCH_SESSION_ID_NOT_FOUND, f"there is no fetch session {session_id}"
            )
        if session.session_epoch != session_epoch:
            raise ApiError(
                ErrorCode.INVALID_FETCH_SESSION_EPOCH,
                f"fetch session {session_id} expects epoch {session.session_epoch}, "
                f"not {session_epoch}",
            )
        if session.uses_topic_ids != uses_topic_ids:
            raise ApiError(
                ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR,
                f"fetch session {session_id} was opened {_by(session.uses_topic_ids)}, "
                f"the request comes {_by(uses_topic_ids)}",
            )
        return session


def _by(uses_topic_ids: bool) -> str:
    return "by topic id" if uses_topic_ids else "by topic name"
