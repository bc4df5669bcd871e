"""Size of the session cache, and eviction."""

from collections.abc import Iterator
from itertools import count

import pytest

from mockbroker.protocol.types import ZERO_UUID
from mockbroker.state.fetch.fetch_session import FetchPartition, PartitionKey
from mockbroker.state.fetch.fetch_session_cache import EVICTION_MS, FetchSessionCache


def cache(slots: int, ids: Iterator[int] | None = None) -> FetchSessionCache:
    session_ids = ids or count(1)
    return FetchSessionCache(lambda: next(session_ids), slots=slots)


def partitions(size: int) -> dict[PartitionKey, FetchPartition]:
    return {
        ("orders", index): FetchPartition("orders", ZERO_UUID, index, fetch_offset=0, max_bytes=1)
        for index in range(size)
    }


def create(sessions: FetchSessionCache, size: int, now_ms: int) -> int:
    return sessions.maybe_create_session(partitions(size), uses_topic_ids=False, now_ms=now_ms)


def touch(sessions: FetchSessionCache, session_id: int, now_ms: int) -> None:
    session = sessions.get(session_id)
    assert session is not None
    sessions.touch(session, now_ms)


def alive(sessions: FetchSessionCache, *session_ids: int) -> list[int]:
    return [session_id for session_id in session_ids if sessions.get(session_id) is not None]


def test_a_session_is_created_at_epoch_one() -> None:
    sessions = cache(2)
    session = sessions.get(create(sessions, 3, now_ms=5))
    assert session is not None
    assert (session.session_id, session.session_epoch, session.created_ms) == (1, 1, 5)
    assert len(sessions) == 1


def test_ids_that_are_taken_or_zero_are_skipped() -> None:
    sessions = cache(5, iter([7, 7, 0, 9]))
    assert [create(sessions, 1, 0), create(sessions, 1, 0)] == [7, 9]


def test_without_slots_there_are_no_sessions() -> None:
    assert create(cache(0), 1, now_ms=0) == 0


def test_removing_an_unknown_session_does_nothing() -> None:
    sessions = cache(1)
    sessions.remove(99)
    assert len(sessions) == 0


@pytest.mark.parametrize(("idle_ms", "created"), [(EVICTION_MS, 0), (EVICTION_MS + 1, 3)])
def test_a_session_unused_for_two_minutes_makes_room(idle_ms: int, created: int) -> None:
    sessions = cache(2)
    create(sessions, 5, now_ms=0)
    create(sessions, 5, now_ms=0)
    touch(sessions, 1, now_ms=10)
    assert create(sessions, 1, now_ms=idle_ms) == created
    assert alive(sessions, 1, 2, 3) == ([1, 3] if created else [1, 2])


@pytest.mark.parametrize(("size", "created"), [(2, 0), (3, 4), (9, 4)])
def test_a_larger_session_takes_the_place_of_the_smallest_old_one(size: int, created: int) -> None:
    sessions = cache(3)
    for old_size in (4, 2, 1):
        create(sessions, old_size, now_ms=0)
    now_ms = EVICTION_MS + 1
    touch(sessions, 1, now_ms)
    touch(sessions, 2, now_ms)
    touch(sessions, 3, EVICTION_MS)  # not old yet at its last use
    assert create(sessions, size, now_ms) == created
    assert alive(sessions, 1, 2, 3, 4) == ([1, 3, 4] if created else [1, 2, 3])


def test_young_sessions_are_not_evicted() -> None:
    sessions = cache(1)
    create(sessions, 1, now_ms=0)
    assert create(sessions, 100, now_ms=1) == 0
