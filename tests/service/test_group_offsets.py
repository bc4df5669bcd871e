"""What the requests of groups have in common."""

import pytest

from mockbroker.call import Call
from mockbroker.group_offsets import (
    as_groups_know,
    check_group,
    commit_offsets,
    home_of,
    is_too_large,
    sort_out,
)
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.offset_commit import (
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from mockbroker.protocol.types import ZERO_UUID
from mockbroker.state.topic.internal_topics import coordinator_partition
from mockbroker.state.topic.topic import CONSUMER_OFFSETS
from tests.service.support.in_process import Brokers
from tests.service.support.transactions import new_brokers


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


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.NOT_COORDINATOR),
        (ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.COORDINATOR_NOT_AVAILABLE),
        (ErrorCode.RECORD_LIST_TOO_LARGE, ErrorCode.UNKNOWN_SERVER_ERROR),
        (ErrorCode.INVALID_TXN_STATE, ErrorCode.INVALID_TXN_STATE),
    ],
)
def test_what_the_log_says_is_put_as_groups_know_it(code: ErrorCode, told: ErrorCode) -> None:
    refusal = as_groups_know(ApiError(code, "why"))
    assert (refusal.code, refusal.why) == (told, "why")


def test_only_the_leader_of_a_groups_partition_coordinates_it() -> None:
    brokers = new_brokers(brokers=3)
    index = coordinator_partition(CONSUMER_OFFSETS, "readers", brokers.state.configs)
    home = brokers.partition(CONSUMER_OFFSETS, index)
    assert home_of(call_of(brokers, home.leader_id), "readers") is home
    for other in set(brokers.state.brokers) - {home.leader_id}:
        with pytest.raises(ApiError) as refused:
            home_of(call_of(brokers, other), "readers")
        assert refused.value.code is ErrorCode.NOT_COORDINATOR


def test_offsets_are_sorted_by_whether_they_can_be_committed() -> None:
    call = call_of(new_brokers())
    found = sort_out(call, [topic_of("orders", 0, 9), topic_of("other", 1)], by_id=False)
    assert [str(offset.partition) for offset in found.offsets] == ["orders-0"]
    assert found.codes == {
        ("orders", ZERO_UUID): {9: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, 0: ErrorCode.NONE},
        ("other", ZERO_UUID): {1: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION},
    }
    found.refuse(ErrorCode.NOT_COORDINATOR)
    assert found.codes["orders", ZERO_UUID] == {
        9: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        0: ErrorCode.NOT_COORDINATOR,
    }


@pytest.mark.parametrize(
    ("metadata", "expected"), [(None, False), ("x" * 4096, False), ("x" * 4097, True)]
)
def test_metadata_has_a_limit(metadata: str | None, expected: bool) -> None:
    assert is_too_large(call_of(new_brokers()), metadata) is expected


def test_who_is_no_member_has_no_generation() -> None:
    call = call_of(new_brokers())
    check_group(call, "readers", -1, "", unknown=ErrorCode.ILLEGAL_GENERATION)
    with pytest.raises(ApiError) as unknown:
        check_group(call, "readers", 1, "who", unknown=ErrorCode.ILLEGAL_GENERATION)
    assert unknown.value.code is ErrorCode.ILLEGAL_GENERATION
    offsets = sort_out(call, [topic_of("orders", 0)], by_id=False).offsets
    commit_offsets(call, home_of(call, "readers"), "readers", offsets)
    with pytest.raises(ApiError) as no_member:
        check_group(call, "readers", 1, "who", unknown=ErrorCode.ILLEGAL_GENERATION)
    assert no_member.value.code is ErrorCode.UNKNOWN_MEMBER_ID


def test_nothing_to_commit_writes_nothing() -> None:
    brokers = new_brokers()
    call = call_of(brokers)
    before = brokers.state.as_text()
    commit_offsets(call, home_of(call, "readers"), "readers", [])
    assert brokers.state.as_text() == before
