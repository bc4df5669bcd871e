"""OffsetFetch returns the committed offsets of groups, in every version."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from mockbroker.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
    OffsetFetchResponse,
)
from mockbroker.protocol.types import ZERO_UUID
from tests.support.in_process import Brokers
from tests.support.transactions import new_brokers

GROUP = "readers"
FIRST_WITH_GROUPS = 8


@pytest.fixture
def brokers() -> Brokers:
    """A group that has committed offset 5 of one partition."""
    brokers = new_brokers()
    partition = OffsetCommitRequestPartition(
        partition_index=1, committed_offset=5, committed_leader_epoch=0, committed_metadata="m"
    )
    topic = OffsetCommitRequestTopic(name="orders", partitions=[partition])
    brokers.ask(OffsetCommitRequest(group_id=GROUP, topics=[topic]), 8, OffsetCommitResponse)
    return brokers


def fetched(
    brokers: Brokers, version: int, indexes: list[int] | None
) -> list[tuple[int, int, str | None]]:
    topic_id = brokers.topic("orders").topic_id
    answer = brokers.ask(
        OffsetFetchRequest(
            group_id=GROUP,
            topics=None
            if indexes is None
            else [OffsetFetchRequestTopic(name="orders", partition_indexes=indexes)],
            groups=[
                OffsetFetchRequestGroup(
                    group_id=GROUP,
                    topics=None
                    if indexes is None
                    else [
                        OffsetFetchRequestTopics(
                            name="orders", topic_id=topic_id, partition_indexes=indexes
                        )
                    ],
                )
            ],
        ),
        version,
        OffsetFetchResponse,
    )
    if version >= FIRST_WITH_GROUPS:
        (group,) = answer.groups
        assert (group.group_id, group.error_code) == (GROUP, ErrorCode.NONE)
        return [
            (each.partition_index, each.committed_offset, each.metadata)
            for topics in group.topics
            for each in topics.partitions
        ]
    return [
        (each.partition_index, each.committed_offset, each.metadata)
        for topic in answer.topics
        for each in topic.partitions
    ]


@pytest.mark.parametrize("version", range(1, 11))
def test_a_missing_offset_is_minus_1(brokers: Brokers, version: int) -> None:
    assert fetched(brokers, version, [0, 1]) == [(0, -1, ""), (1, 5, "m")]


@pytest.mark.parametrize("version", range(2, 11))
def test_null_requests_all_committed_offsets(brokers: Brokers, version: int) -> None:
    assert fetched(brokers, version, None) == [(1, 5, "m")]


def test_a_missing_topic_id_is_unknown(brokers: Brokers) -> None:
    topics = [OffsetFetchRequestTopics(topic_id=ZERO_UUID, partition_indexes=[0])]
    groups = [OffsetFetchRequestGroup(group_id=GROUP, topics=topics)]
    answer = brokers.ask(OffsetFetchRequest(groups=groups), 10, OffsetFetchResponse)
    found = answer.groups[0].topics[0].partitions[0]
    assert found.error_code == ErrorCode.UNKNOWN_TOPIC_ID


@pytest.mark.parametrize("version", [1, 2, 7, 8])
def test_a_group_that_others_coordinate_is_refused(version: int) -> None:
    brokers = Brokers(topics={"orders": 1})
    answer = brokers.ask(
        OffsetFetchRequest(
            group_id=GROUP,
            topics=[OffsetFetchRequestTopic(name="orders", partition_indexes=[0])],
            groups=[OffsetFetchRequestGroup(group_id=GROUP, topics=None)],
        ),
        version,
        OffsetFetchResponse,
    )
    if version >= FIRST_WITH_GROUPS:
        assert answer.groups[0].error_code == ErrorCode.NOT_COORDINATOR
    elif version >= 2:
        assert answer.error_code == ErrorCode.NOT_COORDINATOR
    else:
        found = answer.topics[0].partitions[0]
        assert (found.error_code, found.committed_offset) == (ErrorCode.NOT_COORDINATOR, -1)
