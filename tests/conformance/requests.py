"""Short forms of the requests that most scripts send."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from mockbroker.protocol.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from mockbroker.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from mockbroker.protocol.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchTopic,
    ForgottenTopic,
)
from mockbroker.protocol.messages.init_producer_id import (
    InitProducerIdRequest,
    InitProducerIdResponse,
)
from mockbroker.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from mockbroker.protocol.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from tests.conformance.batches import Producer
from tests.conformance.talk import Talk

PLENTY: Final = 1 << 20


def produce(
    talk: Talk,
    *parts: tuple[str, int, bytes | None],
    acks: int = -1,
    transactional_id: str | None = None,
    timeout_ms: int = 10_000,
) -> ProduceRequest:
    """Build a Produce request from (topic, partition, records); equal topics are joined."""
    topics: dict[str, TopicProduceData] = {}
    for name, index, records in parts:
        topic = topics.setdefault(name, TopicProduceData(name=name, topic_id=talk.id_of(name)))
        topic.partition_data.append(PartitionProduceData(index=index, records=records))
    return ProduceRequest(
        transactional_id=transactional_id,
        acks=acks,
        timeout_ms=timeout_ms,
        topic_data=list(topics.values()),
    )


@dataclass(frozen=True, slots=True)
class Wanted:
    """A partition in a Fetch."""

    topic: str
    partition: int = 0
    offset: int = 0
    max_bytes: int = PLENTY
    current_leader_epoch: int = -1
    last_fetched_epoch: int = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Options of a Fetch: its wait, its limits, its session."""

    max_wait_ms: int = 0
    min_bytes: int = 0
    max_bytes: int = PLENTY
    isolation_level: int = 0
    session_id: int = 0
    session_epoch: int = -1
    forgotten: Sequence[tuple[str, int]] = field(default_factory=tuple)


def fetch(talk: Talk, *wanted: Wanted, reading: Reading | None = None) -> FetchRequest:
    """Build a Fetch request; adjacent partitions of a topic are joined."""
    how = reading or Reading()
    topics: list[FetchTopic] = []
    for each in wanted:
        if not topics or topics[-1].topic != each.topic:
            topics.append(FetchTopic(topic=each.topic, topic_id=talk.id_of(each.topic)))
        topics[-1].partitions.append(
            FetchPartition(
                partition=each.partition,
                current_leader_epoch=each.current_leader_epoch,
                fetch_offset=each.offset,
                last_fetched_epoch=each.last_fetched_epoch,
                partition_max_bytes=each.max_bytes,
            )
        )
    return FetchRequest(
        max_wait_ms=how.max_wait_ms,
        min_bytes=how.min_bytes,
        max_bytes=how.max_bytes,
        isolation_level=how.isolation_level,
        session_id=how.session_id,
        session_epoch=how.session_epoch,
        topics=topics,
        forgotten_topics_data=[
            ForgottenTopic(topic=name, topic_id=talk.id_of(name), partitions=[partition])
            for name, partition in how.forgotten
        ],
    )


def list_offsets(
    *parts: tuple[str, int, int], isolation_level: int = 0, current_leader_epoch: int = -1
) -> ListOffsetsRequest:
    """Build a ListOffsets request from (topic, partition, timestamp)."""
    topics: dict[str, ListOffsetsTopic] = {}
    for name, index, timestamp in parts:
        topics.setdefault(name, ListOffsetsTopic(name=name)).partitions.append(
            ListOffsetsPartition(
                partition_index=index,
                timestamp=timestamp,
                current_leader_epoch=current_leader_epoch,
                max_num_offsets=10,
            )
        )
    return ListOffsetsRequest(
        replica_id=-1,
        isolation_level=isolation_level,
        topics=list(topics.values()),
        timeout_ms=10_000,
    )


def delete_records(*parts: tuple[str, int, int]) -> DeleteRecordsRequest:
    """Build a DeleteRecords request from (topic, partition, new start offset)."""
    topics: dict[str, DeleteRecordsTopic] = {}
    for name, index, offset in parts:
        topics.setdefault(name, DeleteRecordsTopic(name=name)).partitions.append(
            DeleteRecordsPartition(partition_index=index, offset=offset)
        )
    return DeleteRecordsRequest(topics=list(topics.values()), timeout_ms=10_000)


def new_topic(
    name: str,
    *,
    partitions: int = 1,
    replication_factor: int = 1,
    assignments: Sequence[tuple[int, Sequence[int]]] = (),
    configs: Mapping[str, str | None] | None = None,
) -> CreatableTopic:
    """Build the description of a new topic."""
    return CreatableTopic(
        name=name,
        num_partitions=partitions,
        replication_factor=replication_factor,
        assignments=[
            CreatableReplicaAssignment(partition_index=index, broker_ids=list(brokers))
            for index, brokers in assignments
        ],
        configs=[CreatableTopicConfig(name=k, value=v) for k, v in (configs or {}).items()],
    )


def create_topics(
    *topics: CreatableTopic, validate_only: bool = False, timeout_ms: int = 30_000
) -> CreateTopicsRequest:
    """Build a CreateTopics request."""
    return CreateTopicsRequest(
        topics=list(topics), validate_only=validate_only, timeout_ms=timeout_ms
    )


def new_producer(talk: Talk, base_sequence: int = 0) -> Producer:
    """Get a producer id, as an idempotent producer does."""
    request = InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=60_000)
    given = talk.expect(InitProducerIdResponse, talk.quietly(request, 0))
    assert given.producer_id >= 0, given
    talk.names.learn_producer(given.producer_id)
    return Producer(given.producer_id, given.producer_epoch, base_sequence)
