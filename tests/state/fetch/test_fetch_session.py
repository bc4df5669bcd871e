"""Partitions of a fetch session, and the selection of changes."""

from uuid import UUID

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.types import ZERO_UUID
from mockbroker.state.fetch.fetch_session import (
    MAX_EPOCH,
    FetchedPartition,
    FetchPartition,
    FetchSession,
    PartitionKey,
    next_session_epoch,
    partition_key,
)

TOPIC_ID = UUID(int=1)


def wish(partition: int = 0, *, fetch_offset: int = 0, max_bytes: int = 1_000) -> FetchPartition:
    return FetchPartition(
        "orders", ZERO_UUID, partition, fetch_offset=fetch_offset, max_bytes=max_bytes
    )


def session(*partitions: int) -> FetchSession:
    """Return a session whose consumer knows high watermark 10 and log start 0 of each."""
    wishes: dict[PartitionKey, FetchPartition] = {
        ("orders", partition): wish(partition) for partition in partitions
    }
    for key, each in wishes.items():
        each.note_sent(FetchedPartition(key, high_watermark=10, log_start_offset=0))
    return FetchSession(1, wishes, uses_topic_ids=False, now_ms=0)


def found(
    partition: int = 0,
    *,
    high_watermark: int = 10,
    log_start_offset: int = 0,
    size_bytes: int = 0,
    error_code: ErrorCode = ErrorCode.NONE,
    must_be_sent: bool = False,
) -> FetchedPartition:
    return FetchedPartition(
        ("orders", partition),
        high_watermark=high_watermark,
        log_start_offset=log_start_offset,
        size_bytes=size_bytes,
        error_code=error_code,
        must_be_sent=must_be_sent,
    )


def select(of: FetchSession, answers: list[FetchedPartition]) -> list[int]:
    return of.select(answers, rotates_all_news=False)


def order(of: FetchSession) -> list[int]:
    return [partition.partition for partition in of.partitions.values()]


def test_a_partitions_key_has_the_topic_id_or_else_the_name() -> None:
    assert partition_key(TOPIC_ID, None, 3) == (TOPIC_ID, 3)
    assert partition_key(TOPIC_ID, "orders", 3) == (TOPIC_ID, 3)
    assert partition_key(ZERO_UUID, "orders", 3) == ("orders", 3)
    assert wish(3).key == ("orders", 3)


def test_the_zero_id_is_an_unknown_id_like_others() -> None:
    assert partition_key(ZERO_UUID, None, 3) == (ZERO_UUID, 3)


@pytest.mark.parametrize(("session_epoch", "following"), [(0, 1), (1, 2), (MAX_EPOCH, 1)])
def test_session_epochs_skip_zero(session_epoch: int, following: int) -> None:
    assert next_session_epoch(session_epoch) == following


@pytest.mark.parametrize(
    ("answer", "is_selected"),
    [
        (found(), False),
        (found(size_bytes=1), True),
        (found(high_watermark=11), True),
        (found(log_start_offset=1), True),
        (found(error_code=ErrorCode.NOT_LEADER_OR_FOLLOWER), True),
        (found(must_be_sent=True), True),
        (found(partition=5, size_bytes=1), False),  # removed meanwhile
    ],
)
def test_only_changes_are_selected(answer: FetchedPartition, is_selected: bool) -> None:
    assert select(session(0), [answer]) == ([0] if is_selected else [])


def test_a_sent_result_is_not_a_change_the_second_time() -> None:
    fetching = session(0)
    assert select(fetching, [found(high_watermark=11, log_start_offset=2)]) == [0]
    assert select(fetching, [found(high_watermark=11, log_start_offset=2)]) == []


def test_after_an_error_the_first_success_is_a_change() -> None:
    fetching = session(0)
    failed = found(error_code=ErrorCode.NOT_LEADER_OR_FOLLOWER)
    assert select(fetching, [failed]) == [0]
    assert select(fetching, [failed]) == [0]
    assert select(fetching, [found()]) == [0]
    assert select(fetching, [found()]) == []


def test_indexes_refer_to_the_fetched_partitions() -> None:
    fetching = session(0, 1, 2)
    assert select(fetching, [found(0), found(1, size_bytes=5), found(2, high_watermark=9)]) == [
        1,
        2,
    ]


def test_a_partition_that_returned_records_is_read_last_next_time() -> None:
    fetching = session(0, 1, 2)
    select(fetching, [found(0, size_bytes=5), found(1, high_watermark=11), found(2)])
    assert order(fetching) == [1, 2, 0]


def test_in_old_releases_every_returned_partition_is_read_last_next_time() -> None:
    fetching = session(0, 1, 2)
    answers = [found(0, size_bytes=5), found(1, high_watermark=11), found(2)]
    fetching.select(answers, rotates_all_news=True)
    assert order(fetching) == [2, 0, 1]


def test_updates_keep_a_partitions_place_and_new_partitions_come_last() -> None:
    fetching = session(0, 1)
    later = FetchPartition(
        "orders",
        ZERO_UUID,
        0,
        fetch_offset=77,
        max_bytes=5,
        current_leader_epoch=2,
        last_fetched_epoch=1,
    )
    fetching.update({later.key: later, ("orders", 9): wish(9)}, [])
    assert order(fetching) == [0, 1, 9]
    known = fetching.partitions["orders", 0]
    assert (known.fetch_offset, known.max_bytes) == (77, 5)
    assert (known.current_leader_epoch, known.last_fetched_epoch) == (2, 1)
    assert known.high_watermark == 10


def test_forgotten_partitions_leave_the_session() -> None:
    fetching = session(0, 1)
    fetching.update({}, [("orders", 0), ("orders", 5)])
    assert order(fetching) == [1]
