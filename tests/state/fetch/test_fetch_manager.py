"""Fetch requests in sessions: partitions to read, and partitions in the response."""

from itertools import count
from uuid import UUID

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import ZERO_UUID
from mockbroker.state.fetch.fetch_manager import FetchContext, FetchManager
from mockbroker.state.fetch.fetch_session import FetchedPartition, FetchPartition, PartitionKey
from mockbroker.state.fetch.fetch_session_cache import FetchSessionCache

CONSUMER_ID = 1


def manager(slots: int = 10) -> FetchManager:
    session_ids = count(CONSUMER_ID)
    return FetchManager(FetchSessionCache(lambda: next(session_ids), slots=slots))


def request(
    fetching: FetchManager,
    session_id: int,
    session_epoch: int,
    *partitions: int,
    forgotten: tuple[PartitionKey, ...] = (),
    topic_id: UUID = ZERO_UUID,
) -> FetchContext:
    wishes = [
        FetchPartition("orders", topic_id, partition, fetch_offset=0, max_bytes=100)
        for partition in partitions
    ]
    return fetching.new_context(
        session_id,
        session_epoch,
        wishes,
        forgotten,
        uses_topic_ids=topic_id != ZERO_UUID,
        now_ms=0,
    )


def read(context: FetchContext, **news: int) -> list[FetchedPartition]:
    """Complete a context with all its partitions; `p3=50` gives partition 3 records of 50 bytes."""
    return [
        FetchedPartition(
            partition.key,
            high_watermark=10,
            log_start_offset=0,
            size_bytes=news.get(f"p{partition.partition}", 0),
        )
        for partition in context.partitions()
    ]


def partitions_of(context: FetchContext) -> list[int]:
    return [partition.partition for partition in context.partitions()]


def opened(fetching: FetchManager, *partitions: int) -> int:
    context = request(fetching, 0, 0, *partitions)
    return context.complete(read(context)).session_id


def test_a_sessionless_request_gets_all_partitions_and_no_session() -> None:
    fetching = manager()
    context = request(fetching, 0, -1, 0, 1)
    assert partitions_of(context) == [0, 1]
    assert context.complete(read(context)) == (0, range(2), ErrorCode.NONE)
    assert len(fetching.cache) == 0


def test_a_full_request_gets_all_partitions_and_a_session() -> None:
    fetching = manager()
    context = request(fetching, 0, 0, 0, 1)
    assert context.complete(read(context)) == (CONSUMER_ID, range(2), ErrorCode.NONE)
    assert len(fetching.cache) == 1


def test_without_room_a_full_request_gets_no_session() -> None:
    context = request(manager(slots=0), 0, 0, 0)
    assert context.complete(read(context)) == (0, range(1), ErrorCode.NONE)


def test_an_incremental_request_reads_all_and_returns_changes() -> None:
    fetching = manager()
    session_id = opened(fetching, 0, 1, 2)
    context = request(fetching, session_id, 1)
    assert partitions_of(context) == [0, 1, 2]
    assert context.complete(read(context, p1=50)) == (session_id, [1], ErrorCode.NONE)
    following = request(fetching, session_id, 2)
    assert partitions_of(following) == [0, 2, 1]
    assert following.complete(read(following)).indexes == []


def test_the_partitions_read_last_depend_on_the_release() -> None:
    fetching = FetchManager(FetchSessionCache(lambda: 1), rotates_all_news=True)
    session_id = opened(fetching, 0, 1)
    context = request(fetching, session_id, 1)
    context.complete([FetchedPartition(("orders", 0), high_watermark=11, log_start_offset=0)])
    assert partitions_of(request(fetching, session_id, 2)) == [1, 0]


def test_the_first_response_is_recorded_as_sent() -> None:
    fetching = manager()
    context = request(fetching, 0, 0, 0)
    answer = FetchedPartition(("orders", 0), error_code=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
    session_id = context.complete([answer]).session_id
    following = request(fetching, session_id, 1)
    assert following.complete(read(following)).indexes == [0]


def test_an_incremental_request_adds_and_forgets_partitions() -> None:
    fetching = manager()
    session_id = opened(fetching, 0, 1)
    context = request(fetching, session_id, 1, 5, forgotten=(("orders", 0),))
    assert partitions_of(context) == [1, 5]


def test_a_session_without_partitions_ends() -> None:
    fetching = manager()
    session_id = opened(fetching, 0)
    context = request(fetching, session_id, 1, forgotten=(("orders", 0),))
    assert context.complete(read(context)) == (0, range(0), ErrorCode.NONE)
    assert len(fetching.cache) == 0


@pytest.mark.parametrize("session_epoch", [0, -1])
def test_a_full_request_ends_the_session_that_it_names(session_epoch: int) -> None:
    fetching = manager()
    session_id = opened(fetching, 0)
    request(fetching, session_id, session_epoch, 0)
    assert len(fetching.cache) == 0


@pytest.mark.parametrize("session_epoch", [2, 5, -7])
def test_another_epoch_than_the_next_one_is_refused(session_epoch: int) -> None:
    fetching = manager()
    session_id = opened(fetching, 0)
    with pytest.raises(ApiError) as refused:
        request(fetching, session_id, session_epoch, 5)
    assert refused.value.code == ErrorCode.INVALID_FETCH_SESSION_EPOCH
    assert partitions_of(request(fetching, session_id, 1)) == [0]


def test_an_unknown_session_is_refused() -> None:
    with pytest.raises(ApiError) as refused:
        request(manager(), 99, 1)
    assert refused.value.code == ErrorCode.FETCH_SESSION_ID_NOT_FOUND


def test_a_session_by_name_cannot_continue_by_id() -> None:
    fetching = manager()
    session_id = opened(fetching, 0)
    with pytest.raises(ApiError) as refused:
        request(fetching, session_id, 1, 0, topic_id=UUID(int=4))
    assert refused.value.code == ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR
    assert "opened by topic name, the request comes by topic id" in refused.value.why


def test_a_session_by_id_continues_by_id() -> None:
    fetching = manager()
    topic_id = UUID(int=4)
    context = request(fetching, 0, 0, 0, topic_id=topic_id)
    session_id = context.complete(read(context)).session_id
    following = request(fetching, session_id, 1, 1, topic_id=topic_id)
    assert [partition.key for partition in following.partitions()] == [(topic_id, 0), (topic_id, 1)]


def test_an_overtaken_response_is_an_error() -> None:
    fetching = manager()
    session_id = opened(fetching, 0)
    slow = request(fetching, session_id, 1)
    request(fetching, session_id, 2)
    assert slow.complete(read(slow, p0=5)) == (
        session_id,
        (),
        ErrorCode.INVALID_FETCH_SESSION_EPOCH,
    )
