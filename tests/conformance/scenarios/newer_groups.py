"""The group protocols after the classic one, on brokers where they are off."""

from collections.abc import Callable
from uuid import UUID

from mockbroker.protocol.messages import alter_share_group_offsets as alter_offsets
from mockbroker.protocol.messages import describe_share_group_offsets as describe_offsets
from mockbroker.protocol.messages import initialize_share_group_state as initialize_state
from mockbroker.protocol.messages import read_share_group_state as read_state
from mockbroker.protocol.messages import read_share_group_state_summary as read_summary
from mockbroker.protocol.messages import streams_group_heartbeat as streams
from mockbroker.protocol.messages import write_share_group_state as write_state
from mockbroker.protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from mockbroker.protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    TopicPartitions,
)
from mockbroker.protocol.messages.delete_share_group_offsets import (
    DeleteShareGroupOffsetsRequest,
    DeleteShareGroupOffsetsRequestTopic,
)
from mockbroker.protocol.messages.delete_share_group_state import (
    DeleteShareGroupStateRequest,
    DeleteStateData,
)
from mockbroker.protocol.messages.delete_share_group_state import PartitionData as DeletePartition
from mockbroker.protocol.messages.get_telemetry_subscriptions import (
    GetTelemetrySubscriptionsRequest,
)
from mockbroker.protocol.messages.push_telemetry import PushTelemetryRequest
from mockbroker.protocol.messages.share_acknowledge import (
    AcknowledgePartition,
    AcknowledgeTopic,
    ShareAcknowledgeRequest,
)
from mockbroker.protocol.messages.share_fetch import (
    FetchPartition,
    FetchTopic,
    ForgottenTopic,
    ShareFetchRequest,
)
from mockbroker.protocol.messages.share_group_describe import ShareGroupDescribeRequest
from mockbroker.protocol.messages.share_group_heartbeat import ShareGroupHeartbeatRequest
from mockbroker.protocol.messages.streams_group_describe import StreamsGroupDescribeRequest
from mockbroker.protocol.messages.streams_group_topology_description_update import (
    StreamsGroupTopologyDescriptionUpdateRequest,
    TopologyDescription,
)
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.types import ZERO_UUID
from tests.conformance.releases import CLASSIC, WITHOUT_NEWER_GROUPS, defaults_since
from tests.conformance.script import scenario
from tests.conformance.talk import Talk

MEMBER = "AAAAAAAAAAAAAAAAAAAAAA"
INSTANCE = UUID(int=5)


def ask_in_every_version(talk: Talk, requests: dict[str, Message]) -> None:
    """Send each request in each version that the release has."""
    for title, request in requests.items():
        assert request.API is not None
        for version in talk.versions(request.API):
            talk.ask(f"{title}, v{version}", request, version)


@scenario(presets=WITHOUT_NEWER_GROUPS)
def consumer_groups_of_the_newer_protocol(talk: Talk) -> None:
    topic_id = talk.topic("t")
    joining = ConsumerGroupHeartbeatRequest(
        group_id="g",
        member_id=MEMBER,
        member_epoch=0,
        rebalance_timeout_ms=60_000,
        subscribed_topic_names=["t"],
        topic_partitions=[],
    )
    ask_in_every_version(
        talk,
        {
            "join": joining,
            "join without anything": ConsumerGroupHeartbeatRequest(
                group_id="", member_id="", member_epoch=0
            ),
            "heartbeat": ConsumerGroupHeartbeatRequest(
                group_id="g",
                member_id=MEMBER,
                member_epoch=1,
                topic_partitions=[TopicPartitions(topic_id=topic_id, partitions=[0])],
            ),
            "leave": ConsumerGroupHeartbeatRequest(group_id="g", member_id=MEMBER, member_epoch=-1),
            "describe": ConsumerGroupDescribeRequest(group_ids=["g"]),
            "describe several": ConsumerGroupDescribeRequest(
                group_ids=["g", "", "h", "g"], include_authorized_operations=True
            ),
            "describe none": ConsumerGroupDescribeRequest(group_ids=[]),
        },
    )


@scenario(presets=(CLASSIC,))
def share_groups(talk: Talk) -> None:
    ask_in_every_version(
        talk,
        {
            "join": ShareGroupHeartbeatRequest(
                group_id="g", member_id=MEMBER, member_epoch=0, subscribed_topic_names=["t"]
            ),
            "join without anything": ShareGroupHeartbeatRequest(
                group_id="", member_id="", member_epoch=0
            ),
            "leave": ShareGroupHeartbeatRequest(group_id="g", member_id=MEMBER, member_epoch=-1),
            "describe": ShareGroupDescribeRequest(group_ids=["g"]),
            "describe several": ShareGroupDescribeRequest(
                group_ids=["g", "", "h", "g"], include_authorized_operations=True
            ),
            "describe none": ShareGroupDescribeRequest(group_ids=[]),
        },
    )


@scenario(presets=(CLASSIC,))
def share_fetches(talk: Talk) -> None:
    topic_id = talk.topic("t")
    ask_in_every_version(
        talk,
        {
            "fetch": ShareFetchRequest(
                group_id="g",
                member_id=MEMBER,
                max_wait_ms=100,
                min_bytes=1,
                max_records=10,
                topics=[FetchTopic(topic_id=topic_id, partitions=[FetchPartition()])],
            ),
            "fetch on": ShareFetchRequest(
                group_id="g",
                member_id=MEMBER,
                share_session_epoch=1,
                forgotten_topics_data=[ForgottenTopic(topic_id=topic_id, partitions=[0])],
            ),
            "fetch without anything": ShareFetchRequest(group_id=None, member_id=None),
            "acknowledge": ShareAcknowledgeRequest(
                group_id="g",
                member_id=MEMBER,
                share_session_epoch=1,
                topics=[AcknowledgeTopic(topic_id=topic_id, partitions=[AcknowledgePartition()])],
            ),
            "acknowledge without anything": ShareAcknowledgeRequest(group_id=None, member_id=None),
        },
    )


@scenario(presets=(CLASSIC,))
def share_group_offsets(talk: Talk) -> None:
    talk.topic("t", partitions=2)
    wanted = describe_offsets.DescribeShareGroupOffsetsRequestTopic(
        topic_name="t", partitions=[0, 1]
    )
    nowhere = describe_offsets.DescribeShareGroupOffsetsRequestTopic(
        topic_name="missing", partitions=[0]
    )
    group = describe_offsets.DescribeShareGroupOffsetsRequestGroup
    partition = alter_offsets.AlterShareGroupOffsetsRequestPartition
    ask_in_every_version(
        talk,
        {
            "describe": describe_offsets.DescribeShareGroupOffsetsRequest(
                groups=[group(group_id="g", topics=[wanted, nowhere])]
            ),
            "describe all": describe_offsets.DescribeShareGroupOffsetsRequest(
                groups=[group(group_id="g", topics=None)]
            ),
            "describe several": describe_offsets.DescribeShareGroupOffsetsRequest(
                groups=[group(group_id=name, topics=[wanted]) for name in ("g", "h", "")]
            ),
            "describe none": describe_offsets.DescribeShareGroupOffsetsRequest(groups=[]),
            "alter": alter_offsets.AlterShareGroupOffsetsRequest(
                group_id="g",
                topics=[
                    alter_offsets.AlterShareGroupOffsetsRequestTopic(
                        topic_name=name,
                        partitions=[partition(partition_index=0, start_offset=0)],
                    )
                    for name in ("t", "missing")
                ],
            ),
            "alter nothing": alter_offsets.AlterShareGroupOffsetsRequest(group_id="", topics=[]),
            "delete": DeleteShareGroupOffsetsRequest(
                group_id="g",
                topics=[
                    DeleteShareGroupOffsetsRequestTopic(topic_name=name)
                    for name in ("t", "missing")
                ],
            ),
            "delete nothing": DeleteShareGroupOffsetsRequest(group_id="", topics=[]),
        },
    )


@scenario(presets=(CLASSIC,))
def share_group_state(talk: Talk) -> None:
    topic_id = talk.topic("t")
    for title, group_id, ids in [
        ("of a topic", "g", [topic_id]),
        ("of two", "g", [topic_id, talk.id_of("missing")]),
        ("of an id that is none", "g", [ZERO_UUID]),
        ("of no group", "", [topic_id]),
        ("of nothing", "g", []),
    ]:
        requests = state_requests(group_id, ids)
        ask_in_every_version(talk, {f"{_verb(each)} {title}": each for each in requests})


def state_requests(group_id: str, ids: list[UUID]) -> list[Message]:
    """Build every request to a coordinator about the state of a group."""
    beginning = initialize_state.PartitionData(state_epoch=1)
    written = write_state.PartitionData(state_epoch=1)
    return [
        initialize_state.InitializeShareGroupStateRequest(
            group_id=group_id,
            topics=[
                initialize_state.InitializeStateData(topic_id=each, partitions=[beginning])
                for each in ids
            ],
        ),
        read_state.ReadShareGroupStateRequest(
            group_id=group_id,
            topics=[
                read_state.ReadStateData(topic_id=each, partitions=[read_state.PartitionData()])
                for each in ids
            ],
        ),
        write_state.WriteShareGroupStateRequest(
            group_id=group_id,
            topics=[
                write_state.WriteStateData(topic_id=each, partitions=[written]) for each in ids
            ],
        ),
        DeleteShareGroupStateRequest(
            group_id=group_id,
            topics=[DeleteStateData(topic_id=each, partitions=[DeletePartition()]) for each in ids],
        ),
        read_summary.ReadShareGroupStateSummaryRequest(
            group_id=group_id,
            topics=[
                read_summary.ReadStateSummaryData(
                    topic_id=each, partitions=[read_summary.PartitionData()]
                )
                for each in ids
            ],
        ),
    ]


def _verb(request: Message) -> str:
    assert request.API is not None
    return request.API.title


@scenario(presets=(CLASSIC,))
def streams_groups(talk: Talk) -> None:
    ask_in_every_version(
        talk,
        {
            "join": streams.StreamsGroupHeartbeatRequest(
                group_id="g",
                member_id=MEMBER,
                rebalance_timeout_ms=60_000,
                topology=streams.Topology(
                    epoch=1,
                    subtopologies=[streams.Subtopology(subtopology_id="0", source_topics=["t"])],
                ),
                active_tasks=[],
                standby_tasks=[],
                warmup_tasks=[],
                process_id="p",
                client_tags=[],
            ),
            "join without anything": streams.StreamsGroupHeartbeatRequest(
                group_id="", member_id=""
            ),
            "leave": streams.StreamsGroupHeartbeatRequest(
                group_id="g", member_id=MEMBER, member_epoch=-1
            ),
            "describe": StreamsGroupDescribeRequest(group_ids=["g"]),
            "describe several": StreamsGroupDescribeRequest(
                group_ids=["g", "", "h", "g"], include_authorized_operations=True
            ),
            "describe none": StreamsGroupDescribeRequest(group_ids=[]),
            "tell the topology": StreamsGroupTopologyDescriptionUpdateRequest(
                group_id="g",
                member_id=MEMBER,
                topology_epoch=1,
                topology_description=TopologyDescription(),
            ),
            "tell no topology": StreamsGroupTopologyDescriptionUpdateRequest(
                group_id="", member_id="", topology_description=TopologyDescription()
            ),
        },
    )


@scenario(presets=(*defaults_since("3.9"), CLASSIC))
def telemetry_without_a_receiver(talk: Talk) -> None:
    asking: list[Callable[[], Message]] = [
        lambda: GetTelemetrySubscriptionsRequest(client_instance_id=ZERO_UUID),
        lambda: GetTelemetrySubscriptionsRequest(client_instance_id=INSTANCE),
        lambda: PushTelemetryRequest(client_instance_id=INSTANCE, metrics=b"x"),
        lambda: PushTelemetryRequest(client_instance_id=ZERO_UUID, terminating=True),
    ]
    for number, make in enumerate(asking):
        request = make()
        talk.ask(f"{_verb(request)} {number}", request, 0)
