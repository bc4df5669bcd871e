"""Producer of single records without a client: finds the partition and its leader, and appends."""

from typing import Final, NamedTuple

from mockbroker.control.topics.handler_client import HandlerClient, check
from mockbroker.control.topics.partitioner import partition_for
from mockbroker.control.topics.record_fields import AppendedRecord, RecordFields
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from mockbroker.protocol.records.batch import build_batch
from mockbroker.protocol.types import NO_PRODUCER_EPOCH, NO_PRODUCER_ID, NO_SEQUENCE
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.state.topic.topic import NO_LEADER, Topic

NEWEST_PRODUCE: Final = 11
"""The last version whose transactions need AddPartitionsToTxn."""
NEWEST_PRODUCE_THAT_ADDS: Final = 12
"""The last version with names of topics; its transactions add partitions themselves (KIP-890)."""
_LEADER_ONLY: Final = 1
_TIMEOUT_MS: Final = 30_000
_NO_TIMESTAMP: Final = -1


class RecordPlace(NamedTuple):
    """Partition of a record, its leader, and the time on the clients' clock."""

    topic: str
    partition: int
    leader_id: int
    now_ms: int


class Identity(NamedTuple):
    """Producer of a batch, with its transaction."""

    transactional_id: str | None = None
    producer_id: int = NO_PRODUCER_ID
    producer_epoch: int = NO_PRODUCER_EPOCH
    sequence: int = NO_SEQUENCE
    adds_partitions: bool = False
    """True if Produce adds the partition to the transaction."""


ANONYMOUS: Final = Identity()
"""A producer that is neither idempotent nor transactional."""


def place_of(
    client: HandlerClient, topic: str, partition: int | None, fields: RecordFields
) -> RecordPlace:
    """Choose the partition of a record, and create the topic where the cluster does that.

    Raises:
        ApiError: UNKNOWN_TOPIC_OR_PARTITION, LEADER_NOT_AVAILABLE, or why the topic cannot be.
        TypeError: the partition is no number.

    """
    _check_partition(partition)

    def find(cluster: ClusterState, now_ms: int) -> tuple[int, int]:
        found = cluster.topics.get(topic) or _created(cluster, topic)
        index = (
            partition_for(cluster, found, fields.key, now_ms) if partition is None else partition
        )
        chosen = found.partition(index)
        if chosen is None:
            why = f"{topic} has the partitions 0 to {len(found.partitions) - 1}, and no {index}"
            raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, why)
        if chosen.leader_id == NO_LEADER:
            raise ApiError(ErrorCode.LEADER_NOT_AVAILABLE, f"{topic}-{index} has no leader")
        return index, chosen.leader_id

    index, leader_id = client.control.change(find)
    client_now_ms = client.control.time(lambda service, _clock: service.client_now_ms)
    return RecordPlace(topic, index, leader_id, client_now_ms)


def _check_partition(partition: object) -> None:
    if partition is not None and (not isinstance(partition, int) or isinstance(partition, bool)):
        raise TypeError(f"partition={partition!r}: a partition is a number")


def _created(cluster: ClusterState, topic: str) -> Topic:
    if not cluster.configs.broker_flag("auto.create.topics.enable"):
        why = f"there is no topic {topic!r}: create it with `cluster.create_topic({topic!r})`"
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, why)
    return cluster.create_topic(NewTopic(name=topic))


def append_record(
    client: HandlerClient, place: RecordPlace, fields: RecordFields, identity: Identity
) -> AppendedRecord:
    """Produce a batch of one record to its leader, with acks=1.

    Raises:
        ApiError: the leader refuses it.

    """
    record = fields.record(place.now_ms)
    records = build_batch(
        [record],
        producer_id=identity.producer_id,
        producer_epoch=identity.producer_epoch,
        base_sequence=identity.sequence,
        is_transactional=identity.transactional_id is not None,
    )
    data = PartitionProduceData(index=place.partition, records=records)
    request = ProduceRequest(
        transactional_id=identity.transactional_id,
        acks=_LEADER_ONLY,
        timeout_ms=_TIMEOUT_MS,
        topic_data=[TopicProduceData(name=place.topic, partition_data=[data])],
    )
    newest = NEWEST_PRODUCE_THAT_ADDS if identity.adds_partitions else NEWEST_PRODUCE
    response = client.ask(request, newest, ProduceResponse, place.leader_id)
    (answer,) = response.responses[0].partition_responses
    check(answer.error_code, answer.error_message or f"refused by {place.topic}-{place.partition}")
    stamped_ms = answer.log_append_time_ms
    return AppendedRecord(
        place.topic,
        place.partition,
        answer.base_offset,
        record.timestamp if stamped_ms == _NO_TIMESTAMP else stamped_ms,
    )
