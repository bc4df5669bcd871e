"""Brokers with a share group, and the requests of its members."""

from collections.abc import Sequence

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.produce import ProduceResponse
from mockbroker.protocol.messages.share_acknowledge import (
    AcknowledgementBatch,
    AcknowledgePartition,
    AcknowledgeTopic,
    ShareAcknowledgeRequest,
)
from mockbroker.protocol.messages.share_fetch import (
    AcknowledgementBatch as PiggybackedBatch,
)
from mockbroker.protocol.messages.share_fetch import (
    FetchPartition,
    FetchTopic,
    ShareFetchRequest,
)
from mockbroker.state.share.share_coordinator import ShareCoordinator
from mockbroker.state.share.share_log_record import SharePartitionKey
from mockbroker.state.topic.internal_topics import internal_topic
from mockbroker.state.topic.topic import SHARE_GROUP_STATE
from tests.support.in_process import Brokers
from tests.support.requests import batch_of, produce

GROUP, MEMBER = "g", "m"
Batch = tuple[int, int, Sequence[int]]


def share_brokers(
    *,
    brokers: int = 1,
    partitions: int = 1,
    start_offset: int | None = 0,
    configs: dict[str, str] | None = None,
) -> Brokers:
    """Return brokers with the topic t, and share partitions that begin at an offset, if any."""
    one = {"share.coordinator.state.topic.num.partitions": "1"}
    made = Brokers(
        brokers=brokers,
        topics={"t": partitions},
        configs={**one, **(configs or {})},
    )
    made.state.create_topic(internal_topic(SHARE_GROUP_STATE, made.state.configs))
    for index in range(partitions if start_offset is not None else 0):
        coordinator_of(made).initialize(key_of(made, index), 1, start_offset or 0, 0)
    return made


def coordinator_of(brokers: Brokers) -> ShareCoordinator:
    """Return the coordinator of all share partitions."""
    leader_id = brokers.partition(SHARE_GROUP_STATE).leader_id
    return brokers.state.share_coordinator(leader_id)


def key_of(brokers: Brokers, index: int = 0) -> SharePartitionKey:
    """Return a share partition of the group."""
    return SharePartitionKey(GROUP, brokers.topic("t").topic_id, index)


def store(brokers: Brokers, count: int = 3, index: int = 0) -> None:
    """Produce a batch of records."""
    request = produce("t", index, batch_of(*(b"value",) * count))
    leader_id = brokers.partition("t", index).leader_id
    answer = brokers.ask(request, 7, ProduceResponse, broker_id=leader_id)
    assert answer.responses[0].partition_responses[0].error_code == ErrorCode.NONE


def fetching(
    brokers: Brokers,
    epoch: int,
    *batches: Batch,
    member: str | None = MEMBER,
    partitions: Sequence[int] = (0,),
    wait_ms: int = 0,
    renews: bool = False,
) -> ShareFetchRequest:
    """Build a ShareFetch that waits for a byte, if at all."""
    data = [
        FetchPartition(
            partition_index=index,
            acknowledgement_batches=[
                PiggybackedBatch(first_offset=first, last_offset=last, acknowledge_types=[*types])
                for first, last, types in batches
            ],
        )
        for index in partitions
    ]
    return ShareFetchRequest(
        group_id=GROUP,
        member_id=member,
        share_session_epoch=epoch,
        max_wait_ms=wait_ms,
        min_bytes=1 if wait_ms else 0,
        max_bytes=0 if renews else 1 << 20,
        max_records=0 if renews else 500,
        batch_size=500,
        is_renew_ack=renews,
        topics=[FetchTopic(topic_id=brokers.topic("t").topic_id, partitions=data)],
    )


def acknowledging(
    brokers: Brokers, epoch: int, *batches: Batch, member: str | None = MEMBER, index: int = 0
) -> ShareAcknowledgeRequest:
    """Build a ShareAcknowledge for one partition."""
    data = AcknowledgePartition(
        partition_index=index,
        acknowledgement_batches=[
            AcknowledgementBatch(first_offset=first, last_offset=last, acknowledge_types=[*types])
            for first, last, types in batches
        ],
    )
    topic = AcknowledgeTopic(topic_id=brokers.topic("t").topic_id, partitions=[data])
    return ShareAcknowledgeRequest(
        group_id=GROUP, member_id=member, share_session_epoch=epoch, topics=[topic]
    )
