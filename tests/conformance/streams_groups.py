"""Members of streams groups (KIP-1071), which send what their answers tell them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from mockbroker.protocol.messages.metadata import MetadataRequest, MetadataResponse
from mockbroker.protocol.messages.streams_group_describe import StreamsGroupDescribeRequest
from mockbroker.protocol.messages.streams_group_heartbeat import (
    Endpoint,
    KeyValue,
    StreamsGroupHeartbeatRequest,
    StreamsGroupHeartbeatResponse,
    Subtopology,
    TaskIds,
    TaskOffset,
    TopicInfo,
    Topology,
)
from mockbroker.protocol.schema.message import Message
from tests.conformance.talk import Talk
from tests.conformance.wire import Answer

AT_ONCE: Final[Mapping[str, str]] = {
    "group.streams.initial.rebalance.delay.ms": "0",
    "group.streams.assignment.interval.ms": "0",
}
"""Settings with which every change of a group has a new target assignment at once."""
REBALANCE_TIMEOUT_MS: Final = 60_000
GROUP_RESOURCE: Final = 32
SEEN_IN_MOMENTS: Final = 100
"""Time until a changed config of a group is seen by its coordinator."""

Tasks = Mapping[str, Sequence[int]]
"""Partitions by subtopology."""


def simple(
    *topics: str, name: str = "0", changelogs: Sequence[str] = (), sinks: Sequence[str] = ()
) -> Subtopology:
    """Build a subtopology that reads topics."""
    return Subtopology(
        subtopology_id=name,
        source_topics=list(topics),
        source_topic_regex=[],
        state_changelog_topics=[internal(each) for each in changelogs],
        repartition_sink_topics=list(sinks),
        repartition_source_topics=[],
        copartition_groups=[],
    )


def internal(name: str, partitions: int = 0, replicas: int = 0, **configs: str) -> TopicInfo:
    """Build an internal topic."""
    return TopicInfo(
        name=name,
        partitions=partitions,
        replication_factor=replicas,
        topic_configs=[
            KeyValue(key=key.replace("_", "."), value=value) for key, value in configs.items()
        ],
    )


def task_ids(tasks: Tasks) -> list[TaskIds]:
    """Return tasks as a heartbeat lists them."""
    return [TaskIds(subtopology_id=name, partitions=list(each)) for name, each in tasks.items()]


@dataclass(slots=True, kw_only=True)
class StreamsMember:
    """A member; its epoch is that of its last answer."""

    talk: Talk
    group: str
    name: str = "a"
    topology: Sequence[Subtopology] = ()
    topology_epoch: int = 0
    process: str | None = None
    """The name of its process; its own by default."""
    instance_id: str | None = None
    rack_id: str | None = None
    endpoint: tuple[str, int] | None = None
    tags: Mapping[str, str] = field(default_factory=dict[str, str])
    version: int | None = None
    member_id: str = field(init=False)
    epoch: int = 0
    endpoint_epoch: int = 0

    def __post_init__(self) -> None:
        """Choose the member id."""
        self.member_id = f"member-{self.name}"

    def send(self, title: str, request: StreamsGroupHeartbeatRequest) -> Answer:
        """Send a heartbeat of any content, and take the epochs from the answer."""
        newest = self.talk.latest(ApiKey.STREAMS_GROUP_HEARTBEAT)
        version = newest if self.version is None else self.version
        answer = self.talk.ask(f"{self.name}: {title}", request, version)
        if isinstance(answer, StreamsGroupHeartbeatResponse) and not answer.error_code:
            self.epoch = answer.member_epoch
            self.endpoint_epoch = answer.endpoint_information_epoch
        return answer

    def request(
        self, owned: Sequence[Tasks] | None = None, **fields: Any
    ) -> StreamsGroupHeartbeatRequest:
        """Build a heartbeat that says only what it owns: active, standby and warm-up tasks."""
        request = StreamsGroupHeartbeatRequest(
            group_id=self.group,
            member_id=self.member_id,
            member_epoch=self.epoch,
            endpoint_information_epoch=self.endpoint_epoch,
            instance_id=self.instance_id,
        )
        if owned is not None:
            active, standby, warmup = [*owned, {}, {}][:3]
            request.active_tasks = task_ids(active)
            request.standby_tasks = task_ids(standby)
            request.warmup_tasks = task_ids(warmup)
        for name, value in fields.items():
            setattr(request, name, value)
        return request

    def full_request(self, **fields: Any) -> StreamsGroupHeartbeatRequest:
        """Build a heartbeat that joins."""
        request = self.request(({},), member_epoch=0)
        request.rack_id = self.rack_id
        request.rebalance_timeout_ms = REBALANCE_TIMEOUT_MS
        request.topology = Topology(epoch=self.topology_epoch, subtopologies=list(self.topology))
        request.process_id = f"process-{self.process or self.name}"
        if self.endpoint is not None:
            request.user_endpoint = Endpoint(host=self.endpoint[0], port=self.endpoint[1])
        request.client_tags = [KeyValue(key=tag, value=text) for tag, text in self.tags.items()]
        for name, value in fields.items():
            setattr(request, name, value)
        return request

    def join(self, title: str = "joins", **fields: Any) -> Answer:
        """Join with all fields and nothing owned."""
        return self.send(title, self.full_request(**fields))

    def beat(self, title: str = "beats", *owned: Tasks, **fields: Any) -> Answer:
        """Send a heartbeat with the tasks it owns, if any role is given."""
        return self.send(title, self.request(owned or None, **fields))

    def leave(self, title: str = "leaves", epoch: int = -1, **fields: Any) -> Answer:
        """Leave the group; -2 leaves it for a moment."""
        return self.send(title, self.request(member_epoch=epoch, **fields))


def offsets(*reported: tuple[str, int, int]) -> list[TaskOffset]:
    """Return offsets of tasks as a heartbeat lists them."""
    return [
        TaskOffset(subtopology_id=name, partition=partition, offset=offset)
        for name, partition, offset in reported
    ]


def describe_streams(talk: Talk, title: str, *groups: str) -> None:
    """Record the newest StreamsGroupDescribe answer as a step."""
    request = StreamsGroupDescribeRequest(group_ids=list(groups))
    talk.ask(f"{title}: described", request, talk.latest(ApiKey.STREAMS_GROUP_DESCRIBE))


def await_topics(talk: Talk, *names: str) -> None:
    """Wait until the broker has created internal topics."""

    def exist(answer: Message) -> bool:
        found = talk.expect(MetadataResponse, answer).topics
        known = {topic.name for topic in found if topic.error_code == ErrorCode.NONE}
        return known.issuperset(names)

    talk.until_quietly(MetadataRequest(topics=None), 4, exist)


def alter_group(talk: Talk, group: str, name: str, value: str) -> None:
    """Set a config of a group."""
    resource = AlterConfigsResource(
        resource_type=GROUP_RESOURCE,
        resource_name=group,
        configs=[AlterableConfig(name=name, config_operation=0, value=value)],
    )
    talk.ask(f"{name} {value}", IncrementalAlterConfigsRequest(resources=[resource]), 1)
    talk.wait_a_moment(SEEN_IN_MOMENTS)
