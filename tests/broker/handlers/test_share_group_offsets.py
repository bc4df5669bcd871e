"""Describe-, Alter- and DeleteShareGroupOffsets, over the request path."""

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages import alter_share_group_offsets as alter
from mockbroker.protocol.messages import delete_share_group_offsets as delete
from mockbroker.protocol.messages import describe_share_group_offsets as describe
from mockbroker.state.security.acl import AclOperation, AclResource
from mockbroker.state.topic.topic import CONSUMER_OFFSETS
from tests.broker.handlers.guarded import GUARDED, deny
from tests.broker.handlers.share_group_requests import beat, brokers_with_share_groups
from tests.support.in_process import Brokers


def described(
    brokers: Brokers, topics: dict[str, list[int]] | None
) -> describe.DescribeShareGroupOffsetsResponseGroup:
    wanted = None
    if topics is not None:
        wanted = [
            describe.DescribeShareGroupOffsetsRequestTopic(topic_name=name, partitions=partitions)
            for name, partitions in topics.items()
        ]
    group = describe.DescribeShareGroupOffsetsRequestGroup(group_id="g", topics=wanted)
    request = describe.DescribeShareGroupOffsetsRequest(groups=[group])
    answer = brokers.ask(request, 1, describe.DescribeShareGroupOffsetsResponse)
    assert isinstance(answer, describe.DescribeShareGroupOffsetsResponse)
    return answer.groups[0]


def altered(brokers: Brokers, **offsets: int) -> alter.AlterShareGroupOffsetsResponse:
    request = alter.AlterShareGroupOffsetsRequest(
        group_id="g",
        topics=[
            alter.AlterShareGroupOffsetsRequestTopic(
                topic_name=name,
                partitions=[
                    alter.AlterShareGroupOffsetsRequestPartition(
                        partition_index=0, start_offset=offset
                    )
                ],
            )
            for name, offset in offsets.items()
        ],
    )
    answer = brokers.ask(request, 0, alter.AlterShareGroupOffsetsResponse)
    assert isinstance(answer, alter.AlterShareGroupOffsetsResponse)
    return answer


def deleted(brokers: Brokers, *topics: str) -> delete.DeleteShareGroupOffsetsResponse:
    request = delete.DeleteShareGroupOffsetsRequest(
        group_id="g",
        topics=[delete.DeleteShareGroupOffsetsRequestTopic(topic_name=name) for name in topics],
    )
    answer = brokers.ask(request, 0, delete.DeleteShareGroupOffsetsResponse)
    assert isinstance(answer, delete.DeleteShareGroupOffsetsResponse)
    return answer


def test_offsets_are_altered_described_and_deleted() -> None:
    brokers = brokers_with_share_groups()
    answer = altered(brokers, orders=4, nowhere=1)
    assert [each.partitions[0].error_code for each in answer.responses] == [
        ErrorCode.NONE,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ]
    for topics in (None, {"orders": [0]}):
        (topic,) = described(brokers, topics).topics
        (partition,) = topic.partitions
        assert (topic.topic_name, partition.start_offset, partition.lag) == ("orders", 4, -4)
    outcome = deleted(brokers, "orders", "nowhere").responses
    assert [(each.error_code, each.error_message) for each in outcome] == [
        (ErrorCode.NONE, None),
        (
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            "This server does not host this topic-partition.",
        ),
    ]
    assert described(brokers, None).topics == []


def test_a_group_with_members_is_refused() -> None:
    brokers = brokers_with_share_groups()
    beat(brokers)
    for answer in (altered(brokers, orders=1), deleted(brokers, "orders")):
        assert (answer.error_code, answer.error_message) == (
            ErrorCode.NON_EMPTY_GROUP,
            "The group is not empty.",
        )


def test_only_the_coordinator_knows_all_partitions() -> None:
    brokers = brokers_with_share_groups()
    brokers.state.delete_topic(brokers.state.topics.by_name[CONSUMER_OFFSETS])
    group = described(brokers, None)
    assert group.error_code == ErrorCode.NOT_COORDINATOR
    assert group.error_message


def test_offsets_of_topics_that_may_not_be_read_are_refused() -> None:
    brokers = brokers_with_share_groups(configs=GUARDED)
    altered(brokers, orders=4)
    deny(brokers, AclResource.TOPIC, "orders", AclOperation.READ)
    refused = ErrorCode.TOPIC_AUTHORIZATION_FAILED
    (topic,) = altered(brokers, orders=1).responses
    assert [each.error_code for each in topic.partitions] == [refused]
    assert [each.error_code for each in deleted(brokers, "orders", "orders").responses] == [
        refused,
        refused,
    ]


def test_offsets_of_topics_that_may_not_be_described_are_hidden() -> None:
    brokers = brokers_with_share_groups(configs=GUARDED)
    altered(brokers, orders=4)
    deny(brokers, AclResource.TOPIC, "orders")
    assert described(brokers, None).topics == []
    (topic,) = described(brokers, {"orders": [0]}).topics
    (partition,) = topic.partitions
    assert (partition.error_code, partition.start_offset, partition.lag) == (
        ErrorCode.TOPIC_AUTHORIZATION_FAILED,
        -1,
        -1,
    )
    deny(brokers, AclResource.GROUP, "g")
    assert described(brokers, None).error_code == ErrorCode.GROUP_AUTHORIZATION_FAILED


def test_the_feature_can_be_turned_off() -> None:
    brokers = brokers_with_share_groups({"share.version": 0})
    assert described(brokers, None).error_code == ErrorCode.UNSUPPORTED_VERSION
    assert altered(brokers, orders=1).error_code == ErrorCode.UNSUPPORTED_VERSION
    assert deleted(brokers, "orders").error_code == ErrorCode.UNSUPPORTED_VERSION
