"""Faults on the APIs of share, streams and consumer groups: selectors, lost and held requests."""

from collections.abc import Callable
from typing import Any, Final

import pytest

from mockbroker.faults.effect import Effect
from mockbroker.faults.effects.answer import Answer
from mockbroker.faults.effects.delay import Delay
from mockbroker.faults.effects.drop_request import DropRequest
from mockbroker.faults.effects.hold import Hold
from mockbroker.faults.effects.lose_response import LoseResponse
from mockbroker.faults.trigger import Once
from mockbroker.protocol.error_response import errors_in
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages import alter_share_group_offsets as alter
from mockbroker.protocol.messages import delete_share_group_offsets as delete_offsets
from mockbroker.protocol.messages import delete_share_group_state as delete_state
from mockbroker.protocol.messages import describe_share_group_offsets as describe
from mockbroker.protocol.messages import initialize_share_group_state as initialize
from mockbroker.protocol.messages import leave_group as leave
from mockbroker.protocol.messages import offset_commit as commit
from mockbroker.protocol.messages import offset_fetch as committed
from mockbroker.protocol.messages import read_share_group_state as read_state
from mockbroker.protocol.messages import read_share_group_state_summary as summary
from mockbroker.protocol.messages import response_type
from mockbroker.protocol.messages import share_acknowledge as acknowledge
from mockbroker.protocol.messages import share_fetch as fetch
from mockbroker.protocol.messages import txn_offset_commit as txn_commit
from mockbroker.protocol.messages import write_share_group_state as write_state
from mockbroker.protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from mockbroker.protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    TopicPartitions,
)
from mockbroker.protocol.messages.find_coordinator import (
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)
from mockbroker.protocol.messages.heartbeat import HeartbeatRequest
from mockbroker.protocol.messages.join_group import JoinGroupRequest
from mockbroker.protocol.messages.share_group_describe import ShareGroupDescribeRequest
from mockbroker.protocol.messages.share_group_heartbeat import (
    ShareGroupHeartbeatRequest,
    ShareGroupHeartbeatResponse,
)
from mockbroker.protocol.messages.streams_group_describe import StreamsGroupDescribeRequest
from mockbroker.protocol.messages.streams_group_heartbeat import StreamsGroupHeartbeatRequest
from mockbroker.protocol.messages.streams_group_topology_description_update import (
    StreamsGroupTopologyDescriptionUpdateRequest,
)
from mockbroker.protocol.messages.sync_group import SyncGroupRequest
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.types import Uuid
from mockbroker.settings.api_names import api_of
from tests.support.faults import Plan
from tests.support.in_process import Peer, read_answer

Of = Callable[[Uuid], Message]
GROUP: Final[dict[str, Any]] = {"group": "g"}
MEMBER: Final[dict[str, Any]] = {**GROUP, "member_id": "m"}
PARTITION: Final = {**GROUP, "topic": "orders", "partition": 1}
MEMBER_PARTITION: Final = {**MEMBER, **PARTITION}

REQUESTS: Final[dict[str, tuple[int, Of, dict[str, object]]]] = {
    "ShareFetch": (
        2,
        lambda topic_id: fetch.ShareFetchRequest(
            group_id="g",
            member_id="m",
            topics=[
                fetch.FetchTopic(
                    topic_id=topic_id, partitions=[fetch.FetchPartition(partition_index=1)]
                )
            ],
        ),
        MEMBER_PARTITION,
    ),
    "ShareAcknowledge": (
        2,
        lambda topic_id: acknowledge.ShareAcknowledgeRequest(
            group_id="g",
            member_id="m",
            topics=[
                acknowledge.AcknowledgeTopic(
                    topic_id=topic_id,
                    partitions=[acknowledge.AcknowledgePartition(partition_index=1)],
                )
            ],
        ),
        MEMBER_PARTITION,
    ),
    "ShareGroupHeartbeat": (
        1,
        lambda _: ShareGroupHeartbeatRequest(group_id="g", member_id="m", member_epoch=1),
        MEMBER,
    ),
    "ShareGroupDescribe": (1, lambda _: ShareGroupDescribeRequest(group_ids=["f", "g"]), GROUP),
    "StreamsGroupHeartbeat": (
        0,
        lambda _: StreamsGroupHeartbeatRequest(group_id="g", member_id="m", member_epoch=1),
        MEMBER,
    ),
    "StreamsGroupDescribe": (0, lambda _: StreamsGroupDescribeRequest(group_ids=["f", "g"]), GROUP),
    "StreamsGroupTopologyDescriptionUpdate": (
        0,
        lambda _: StreamsGroupTopologyDescriptionUpdateRequest(group_id="g", member_id="m"),
        MEMBER,
    ),
    "ConsumerGroupDescribe": (
        1,
        lambda _: ConsumerGroupDescribeRequest(group_ids=["f", "g"]),
        GROUP,
    ),
    "ConsumerGroupHeartbeat": (
        1,
        lambda topic_id: ConsumerGroupHeartbeatRequest(
            group_id="g",
            member_id="m",
            member_epoch=1,
            topic_partitions=[TopicPartitions(topic_id=topic_id, partitions=[0, 1])],
        ),
        MEMBER_PARTITION,
    ),
    "JoinGroup": (9, lambda _: JoinGroupRequest(group_id="g", member_id="m"), MEMBER),
    "SyncGroup": (5, lambda _: SyncGroupRequest(group_id="g", member_id="m"), MEMBER),
    "OffsetCommit": (
        10,
        lambda topic_id: commit.OffsetCommitRequest(
            group_id="g",
            member_id="m",
            topics=[
                commit.OffsetCommitRequestTopic(
                    topic_id=topic_id,
                    partitions=[commit.OffsetCommitRequestPartition(partition_index=1)],
                )
            ],
        ),
        MEMBER_PARTITION,
    ),
    "OffsetFetch": (
        10,
        lambda topic_id: committed.OffsetFetchRequest(
            groups=[
                committed.OffsetFetchRequestGroup(
                    group_id="g",
                    member_id="m",
                    topics=[
                        committed.OffsetFetchRequestTopics(
                            topic_id=topic_id, partition_indexes=[0, 1]
                        )
                    ],
                )
            ]
        ),
        MEMBER_PARTITION,
    ),
    "TxnOffsetCommit": (
        5,
        lambda _: txn_commit.TxnOffsetCommitRequest(
            group_id="g",
            member_id="m",
            topics=[
                txn_commit.TxnOffsetCommitRequestTopic(
                    name="orders",
                    partitions=[txn_commit.TxnOffsetCommitRequestPartition(partition_index=1)],
                )
            ],
        ),
        MEMBER_PARTITION,
    ),
    "Heartbeat": (
        4,
        lambda _: HeartbeatRequest(group_id="g", member_id="m", generation_id=1),
        MEMBER,
    ),
    "LeaveGroup": (
        5,
        lambda _: leave.LeaveGroupRequest(
            group_id="g", members=[leave.MemberIdentity(member_id="m")]
        ),
        MEMBER,
    ),
    "InitializeShareGroupState": (
        0,
        lambda topic_id: initialize.InitializeShareGroupStateRequest(
            group_id="g",
            topics=[
                initialize.InitializeStateData(
                    topic_id=topic_id, partitions=[initialize.PartitionData(partition=1)]
                )
            ],
        ),
        PARTITION,
    ),
    "ReadShareGroupState": (
        0,
        lambda topic_id: read_state.ReadShareGroupStateRequest(
            group_id="g",
            topics=[
                read_state.ReadStateData(
                    topic_id=topic_id, partitions=[read_state.PartitionData(partition=1)]
                )
            ],
        ),
        PARTITION,
    ),
    "WriteShareGroupState": (
        1,
        lambda topic_id: write_state.WriteShareGroupStateRequest(
            group_id="g",
            topics=[
                write_state.WriteStateData(
                    topic_id=topic_id, partitions=[write_state.PartitionData(partition=1)]
                )
            ],
        ),
        PARTITION,
    ),
    "DeleteShareGroupState": (
        0,
        lambda topic_id: delete_state.DeleteShareGroupStateRequest(
            group_id="g",
            topics=[
                delete_state.DeleteStateData(
                    topic_id=topic_id, partitions=[delete_state.PartitionData(partition=1)]
                )
            ],
        ),
        PARTITION,
    ),
    "ReadShareGroupStateSummary": (
        1,
        lambda topic_id: summary.ReadShareGroupStateSummaryRequest(
            group_id="g",
            topics=[
                summary.ReadStateSummaryData(
                    topic_id=topic_id, partitions=[summary.PartitionData(partition=1)]
                )
            ],
        ),
        PARTITION,
    ),
    "DescribeShareGroupOffsets": (
        1,
        lambda _: describe.DescribeShareGroupOffsetsRequest(
            groups=[
                describe.DescribeShareGroupOffsetsRequestGroup(
                    group_id="g",
                    topics=[
                        describe.DescribeShareGroupOffsetsRequestTopic(
                            topic_name="orders", partitions=[0, 1]
                        )
                    ],
                )
            ]
        ),
        PARTITION,
    ),
    "AlterShareGroupOffsets": (
        0,
        lambda _: alter.AlterShareGroupOffsetsRequest(
            group_id="g",
            topics=[
                alter.AlterShareGroupOffsetsRequestTopic(
                    topic_name="orders",
                    partitions=[alter.AlterShareGroupOffsetsRequestPartition(partition_index=1)],
                )
            ],
        ),
        PARTITION,
    ),
    "DeleteShareGroupOffsets": (
        0,
        lambda _: delete_offsets.DeleteShareGroupOffsetsRequest(
            group_id="g",
            topics=[delete_offsets.DeleteShareGroupOffsetsRequestTopic(topic_name="orders")],
        ),
        {**GROUP, "topic": "orders"},
    ),
}
"""Version, request and selectors by API."""
OTHER: Final[dict[str, Any]] = {"group": "h", "member_id": "n", "topic": "payments", "partition": 9}
OF_EVERY: Final = pytest.mark.parametrize("api", REQUESTS)


def request_of(plan: Plan, api: str) -> tuple[Message, int]:
    """Build the request of an API; return it with its version."""
    version, build, _ = REQUESTS[api]
    return build(plan.brokers.topic("orders").topic_id), version


def answers(plan: Plan, peer: Peer, api: str) -> list[Message]:
    """Return the answers that have arrived."""
    request, version = request_of(plan, api)
    assert request.API is not None
    kind = response_type(request.API)
    return [read_answer(each, request.API, version, kind)[1] for each in peer.new_frames()]


def send(plan: Plan, api: str) -> list[Message]:
    """Send the request of an API over a new connection; return its answers."""
    peer = plan.brokers.connect()
    peer.send(*request_of(plan, api))
    return answers(plan, peer, api)


@OF_EVERY
def test_every_selector_matches(api: str) -> None:
    for name, value in REQUESTS[api][2].items():
        plan = Plan()
        fault = plan.fault(
            Answer(ErrorCode.UNKNOWN_SERVER_ERROR), None, api=api_of(api), **{name: value}
        )
        (answer,) = send(plan, api)
        assert fault.hits == 1, name
        assert ErrorCode.UNKNOWN_SERVER_ERROR in list(errors_in(answer)), name


@OF_EVERY
def test_another_value_does_not_match(api: str) -> None:
    selectors = REQUESTS[api][2]
    for name in selectors:
        plan = Plan()
        other = {**selectors, name: OTHER[name]}
        fault = plan.fault(DropRequest(), api=api_of(api), **other)
        assert len(send(plan, api)) == 1
        assert fault.hits == 0, name


@OF_EVERY
@pytest.mark.parametrize("effect", [DropRequest(), LoseResponse()], ids=["request", "response"])
def test_what_is_lost_has_no_answer(api: str, effect: Effect) -> None:
    plan = Plan()
    fault = plan.fault(effect, Once(), api=api_of(api), **REQUESTS[api][2])
    assert send(plan, api) == []
    assert (fault.hits, len(send(plan, api))) == (1, 1)


@OF_EVERY
def test_a_delayed_answer_arrives_in_time(api: str) -> None:
    plan = Plan()
    plan.fault(Delay("250ms"), Once(), api=api_of(api), **REQUESTS[api][2])
    peer = plan.brokers.connect()
    peer.send(*request_of(plan, api))
    plan.brokers.pass_time(249)
    assert answers(plan, peer, api) == []
    plan.brokers.pass_time(1)
    assert len(answers(plan, peer, api)) == 1


@OF_EVERY
def test_a_held_request_is_answered_when_it_is_released(api: str) -> None:
    plan = Plan()
    fault = plan.fault(Hold(), Once(), api=api_of(api), **REQUESTS[api][2])
    peer = plan.brokers.connect()
    peer.send(*request_of(plan, api))
    assert answers(plan, peer, api) == []
    assert plan.plan.release(fault) == 1
    assert len(answers(plan, peer, api)) == 1


@pytest.mark.parametrize(("effect", "has_joined"), [(DropRequest(), False), (LoseResponse(), True)])
def test_a_member_has_joined_only_if_the_response_was_lost(
    effect: Effect, has_joined: bool
) -> None:
    plan = Plan()
    plan.brokers.ask(FindCoordinatorRequest(key="g", key_type=0), 3, FindCoordinatorResponse)
    plan.fault(effect, Once(), api=api_of("ShareGroupHeartbeat"), **MEMBER)
    peer = plan.brokers.connect()
    joining = ShareGroupHeartbeatRequest(
        group_id="g", member_id="m", member_epoch=0, subscribed_topic_names=["orders"]
    )
    peer.send(joining, 1)
    assert peer.new_frames() == []
    beat = ShareGroupHeartbeatRequest(group_id="g", member_id="m", member_epoch=1)
    answer = plan.brokers.ask(beat, 1, ShareGroupHeartbeatResponse)
    code = ErrorCode(answer.error_code)
    assert code is (ErrorCode.FENCED_MEMBER_EPOCH if has_joined else ErrorCode.GROUP_ID_NOT_FOUND)


def test_a_request_of_several_members_is_of_none_of_them() -> None:
    plan = Plan()
    fault = plan.fault(DropRequest(), api=api_of("LeaveGroup"), member_id="*")
    members = [leave.MemberIdentity(member_id=each) for each in ("m", "n")]
    plan.brokers.ask(
        leave.LeaveGroupRequest(group_id="g", members=members), 5, leave.LeaveGroupResponse
    )
    assert fault.hits == 0
