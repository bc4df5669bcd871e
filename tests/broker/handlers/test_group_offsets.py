"""Shared steps of offset requests."""

import pytest

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.group_offsets import SortedCommits, coordinator_of, sort_out
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.offset_commit import (
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from mockbroker.protocol.types import ZERO_UUID
from tests.support.in_process import NOW_MS, Brokers
from tests.support.transactions import new_brokers


def call_of(brokers: Brokers, broker_id: int = 1) -> Call:
    return Call(
        brokers.service,
        broker_id=broker_id,
        connection_id=1,
        api_key=ApiKey.OFFSET_COMMIT,
        api_version=8,
        correlation_id=1,
        client_id=None,
    )


def topic_of(name: str, *indexes: int, metadata: str | None = None) -> OffsetCommitRequestTopic:
    return OffsetCommitRequestTopic(
        name=name,
        partitions=[
            OffsetCommitRequestPartition(
                partition_index=index, committed_offset=5, committed_metadata=metadata
            )
            for index in indexes
        ],
    )


def codes_of(found: SortedCommits, topic: str) -> list[tuple[int, ErrorCode]]:
    return [(answer.index, answer.code) for answer in found.answers[topic, ZERO_UUID]]


def test_the_coordinator_is_that_of_the_called_broker() -> None:
    brokers = new_brokers(brokers=3)
    assert coordinator_of(call_of(brokers, 2)) is brokers.state.group_coordinator(2)


def test_offsets_are_separated_by_whether_they_can_be_committed() -> None:
    call = call_of(new_brokers())
    topics = [topic_of("orders", 0, 9), topic_of("other", 1)]
    found = sort_out(call, "readers", topics, by_id=False)
    assert [str(offset.partition) for offset in found.records] == ["orders-0"]
    assert codes_of(found, "orders") == [
        (9, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        (0, ErrorCode.NONE),
    ]
    assert codes_of(found, "other") == [(1, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)]
    found.refuse(ErrorCode.NOT_COORDINATOR)
    assert codes_of(found, "orders") == [
        (9, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        (0, ErrorCode.NOT_COORDINATOR),
    ]


@pytest.mark.parametrize(("release", "count"), [("3.9", 1), ("4.4", 2)])
def test_a_partition_that_is_named_twice_counts_as_by_the_release(release: str, count: int) -> None:
    call = call_of(new_brokers(release=release))
    topics = [topic_of("orders", 0), topic_of("orders", 0)]
    found = sort_out(call, "readers", topics, by_id=False)
    assert len(found.records) == count
    assert codes_of(found, "orders") == [(0, ErrorCode.NONE)] * count


@pytest.mark.parametrize(
    ("metadata", "code"),
    [
        (None, ErrorCode.NONE),
        ("x" * 4096, ErrorCode.NONE),
        ("x" * 4097, ErrorCode.OFFSET_METADATA_TOO_LARGE),
    ],
)
def test_metadata_has_a_limit(metadata: str | None, code: ErrorCode) -> None:
    topics = [topic_of("orders", 0, metadata=metadata)]
    found = sort_out(call_of(new_brokers()), "readers", topics, by_id=False)
    assert codes_of(found, "orders") == [(0, code)]
    assert len(found.records) == (code is ErrorCode.NONE)


@pytest.mark.parametrize(
    ("release", "retention_ms", "expires_ms"),
    [
        ("1.1", -1, NOW_MS + 86_400_000),
        ("1.1", 5, NOW_MS + 5),
        ("2.4", -1, -1),
        ("2.4", 5, NOW_MS + 5),
    ],
)
def test_offsets_have_their_own_expiry_if_the_release_or_the_client_sets_it(
    release: str, retention_ms: int, expires_ms: int
) -> None:
    call = call_of(new_brokers(release=release))
    topics = [topic_of("orders", 0)]
    found = sort_out(call, "readers", topics, by_id=False, retention_time_ms=retention_ms)
    (record,) = found.records
    assert record.value is not None
    assert record.value.expire_timestamp_ms == expires_ms
