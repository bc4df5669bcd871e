"""Members of a share group, as scenarios use them: fetches, acknowledgements, sessions."""

from collections.abc import Sequence
from uuid import UUID

from mockbroker.protocol.messages import read_share_group_state as read
from mockbroker.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from mockbroker.protocol.messages.share_acknowledge import (
    AcknowledgementBatch,
    AcknowledgePartition,
    AcknowledgeTopic,
    ShareAcknowledgeRequest,
)
from mockbroker.protocol.messages.share_fetch import (
    AcknowledgementBatch as FetchedBatch,
)
from mockbroker.protocol.messages.share_fetch import (
    FetchPartition,
    FetchTopic,
    ForgottenTopic,
    ShareFetchRequest,
    ShareFetchResponse,
)
from mockbroker.protocol.schema.message import Message
from tests.conformance.batches import plain
from tests.conformance.requests import produce
from tests.conformance.scenarios.share_coordinator import GROUP, persister
from tests.conformance.talk import Talk

MEMBER = "AAAAAAAAAAAAAAAAAAAAAA"
OTHER = "BBBBBBBBBBBBBBBBBBBBBB"
FINAL = -1
ACCEPT, RELEASE, REJECT, RENEW = 1, 2, 3, 4
GROUP_RESOURCE, SET = 32, 0
SHORT_LOCKS = {
    "group.share.min.record.lock.duration.ms": "1000",
    "group.share.record.lock.duration.ms": "1000",
    "group.share.min.delivery.count.limit": "2",
}
ONE_SESSION = {"group.share.max.share.sessions": "1", "group.share.max.size": "1"}
Batch = tuple[int, int, Sequence[int]]


class Member:
    """A member of a share group, with its session."""

    def __init__(self, talk: Talk, topic_id: UUID, member_id: str = MEMBER) -> None:
        self.talk = talk
        self.topic_id = topic_id
        self.member_id = member_id

    def fetch(
        self,
        title: str,
        epoch: int,
        *batches: Batch,
        partitions: Sequence[int] | None = (0,),
        forgotten: Sequence[int] = (),
        records_max: int = 500,
        batch_size: int = 500,
        max_wait_ms: int = 0,
        min_bytes: int = 0,
        max_bytes: int = 1 << 20,
        limit: bool = False,
        renews: bool = False,
        version: int = 2,
    ) -> None:
        data = [
            FetchPartition(
                partition_index=index,
                acknowledgement_batches=[
                    FetchedBatch(
                        first_offset=first, last_offset=last, acknowledge_types=list(types)
                    )
                    for first, last, types in batches
                ],
            )
            for index in partitions or ()
        ]
        request = ShareFetchRequest(
            group_id=GROUP,
            member_id=self.member_id,
            share_session_epoch=epoch,
            max_wait_ms=max_wait_ms,
            min_bytes=min_bytes,
            max_bytes=max_bytes,
            max_records=records_max,
            batch_size=batch_size,
            share_acquire_mode=int(limit),
            is_renew_ack=renews,
            topics=[FetchTopic(topic_id=self.topic_id, partitions=data)] if data else [],
            forgotten_topics_data=[
                ForgottenTopic(topic_id=self.topic_id, partitions=list(forgotten))
            ]
            if forgotten
            else [],
        )
        self.talk.ask(title, request, version)

    def load(self, partition: int = 0) -> None:
        """Wait until a share partition without records is loaded, which the leader does later."""
        data = FetchPartition(partition_index=partition)
        request = ShareFetchRequest(
            group_id=GROUP,
            member_id=self.member_id,
            max_bytes=1 << 20,
            max_records=1,
            topics=[FetchTopic(topic_id=self.topic_id, partitions=[data])],
        )
        self.talk.until_quietly(request, 2, _has_partitions)
        request.share_session_epoch = FINAL
        request.topics = []
        self.talk.quietly(request, 2)

    def acknowledge(
        self,
        title: str,
        epoch: int,
        *batches: Batch,
        partition: int = 0,
        renews: bool = False,
        version: int = 2,
    ) -> None:
        data = AcknowledgePartition(
            partition_index=partition,
            acknowledgement_batches=[
                AcknowledgementBatch(
                    first_offset=first, last_offset=last, acknowledge_types=list(types)
                )
                for first, last, types in batches
            ],
        )
        request = ShareAcknowledgeRequest(
            group_id=GROUP,
            member_id=self.member_id,
            share_session_epoch=epoch,
            is_renew_ack=renews,
            topics=[AcknowledgeTopic(topic_id=self.topic_id, partitions=[data])],
        )
        self.talk.ask(title, request, version)


def _has_partitions(answer: Message) -> bool:
    assert isinstance(answer, ShareFetchResponse)
    return any(not each.error_code for topic in answer.responses for each in topic.partitions)


def await_release(talk: Talk, topic_id: UUID) -> None:
    """Wait until the leader has written that records are available."""
    partitions = [read.PartitionData(partition=0, leader_epoch=0)]
    topic = read.ReadStateData(topic_id=topic_id, partitions=partitions)
    request = read.ReadShareGroupStateRequest(group_id=GROUP, topics=[topic])
    talk.until_quietly(request, 0, _has_batches)


def _has_batches(answer: Message) -> bool:
    assert isinstance(answer, read.ReadShareGroupStateResponse)
    return bool(answer.results[0].partitions[0].state_batches)


def store(talk: Talk, *numbers: int) -> None:
    """Produce one batch of records."""
    data = plain(*(b"record %d" % number for number in numbers), at_ms=talk.at(0))
    talk.quietly(produce(talk, ("t", 0, data)), 3)


def set_configs(talk: Talk, configs: dict[str, str]) -> None:
    """Replace the group's configs."""
    resource = AlterConfigsResource(
        resource_type=GROUP_RESOURCE,
        resource_name=GROUP,
        configs=[
            AlterableConfig(name=name, config_operation=SET, value=value)
            for name, value in configs.items()
        ],
    )
    talk.quietly(IncrementalAlterConfigsRequest(resources=[resource]), 1)


def members(talk: Talk, *, start_offset: int = 0) -> tuple[Member, Member]:
    """Initialise the share partition of a topic with two batches of three records."""
    asking = persister(talk)
    asking.initialize("initialise", state_epoch=1, start_offset=start_offset)
    one = Member(talk, asking.topic_id)
    one.load()
    for first in (0, 3):
        store(talk, *range(first, first + 3))
    return one, Member(talk, asking.topic_id, OTHER)
