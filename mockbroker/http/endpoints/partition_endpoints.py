"""Control of one partition over HTTP: elections, lagging replicas, lost records."""

from collections.abc import Callable
from typing import Any, Final

from mockbroker.broker.stored_records import partitions_of
from mockbroker.control.handles.partition_handle import KeptLog, PartitionHandle
from mockbroker.faults.documents.strict import Document, View
from mockbroker.http.documents.topic_view import (
    PartitionView,
    TopicView,
    partition_view,
    topic_view,
)
from mockbroker.http.endpoint import ApiRequest, Endpoints, Nothing
from mockbroker.http.missing import topic_of
from mockbroker.state.replication.leader_election import ProducerState

PARTITIONS: Final = Endpoints()
_PATH: Final = "/topics/{topic}/partitions/{partition}"


class ElectDocument(Document, kw_only=True):
    """The broker to elect, and the new leader's log and producer state."""

    topic: str
    partition: int
    to: int | None = None
    producer_state: ProducerState = "full"
    log: KeptLog = "keep"
    log_end_offset: int | None = None
    high_watermark: int | None = None


class LeaderView(View):
    """The current leader."""

    leader: int


class ReplicaDocument(Document, kw_only=True):
    """A replica, by the id of its broker."""

    broker: int


class CatchUpDocument(Document):
    """The replica that catches up; default: all whose brokers are running."""

    broker: int | None = None


class TailDocument(Document):
    """Number of records to lose; whole batches are lost."""

    records: int = 1


class LogStartDocument(Document, kw_only=True):
    """The new log start offset."""

    to: int


class ProducerDocument(Document, kw_only=True):
    """A producer."""

    producer_id: int


class ForgottenView(View):
    """True if the producer was known."""

    was_known: bool


class CompactedView(View):
    """Number of removed records."""

    removed: int


class RecreateDocument(Document):
    """Settings of the new topic; default: as before."""

    partitions: int | None = None
    start_offset: int = 0


@PARTITIONS.add("POST", "/elect", reads=ElectDocument, answers=LeaderView)
def elect_leader(request: ApiRequest[ElectDocument]) -> LeaderView:
    """Elect the leader of a partition: the next replica in turn, or the named one."""
    document = request.document
    request.cluster.look(lambda cluster, _now_ms: topic_of(cluster, document.topic))
    leader = request.cluster.partition(document.topic, document.partition).elect(
        document.to,
        producer_state=document.producer_state,
        log=document.log,
        log_end_offset=document.log_end_offset,
        high_watermark=document.high_watermark,
    )
    return LeaderView(leader=leader)


@PARTITIONS.add("POST", f"{_PATH}/lag", reads=ReplicaDocument, answers=PartitionView)
def let_replica_lag(request: ApiRequest[ReplicaDocument]) -> PartitionView:
    """Stop a replica's fetches from the leader, while it stays in sync."""
    return _happened(request, lambda partition: partition.lag(request.document.broker))


@PARTITIONS.add("POST", f"{_PATH}/lose-replica", reads=ReplicaDocument, answers=PartitionView)
def lose_replica(request: ApiRequest[ReplicaDocument]) -> PartitionView:
    """Remove a replica from the in-sync replicas."""
    return _happened(request, lambda partition: partition.lose_replica(request.document.broker))


@PARTITIONS.add("POST", f"{_PATH}/catch-up", reads=CatchUpDocument, answers=PartitionView)
def let_replica_catch_up(request: ApiRequest[CatchUpDocument]) -> PartitionView:
    """Let one replica, or all whose brokers run, catch up and be in sync again."""
    return _happened(request, lambda partition: partition.catch_up(request.document.broker))


@PARTITIONS.add("POST", f"{_PATH}/lose-tail", reads=TailDocument, answers=PartitionView)
def lose_tail(request: ApiRequest[TailDocument]) -> PartitionView:
    """Lose the last records of all replicas, as when all brokers crash before a flush."""
    return _happened(request, lambda partition: partition.lose_tail(request.document.records))


@PARTITIONS.add("POST", f"{_PATH}/move-log-start", reads=LogStartDocument, answers=PartitionView)
def move_log_start(request: ApiRequest[LogStartDocument]) -> PartitionView:
    """Move the log start offset, as retention does."""
    return _happened(request, lambda partition: partition.move_log_start(request.document.to))


@PARTITIONS.add("POST", f"{_PATH}/forget-producer", reads=ProducerDocument, answers=ForgottenView)
def forget_producer(request: ApiRequest[ProducerDocument]) -> ForgottenView:
    """Forget a producer, as `producer.id.expiration.ms` does."""
    producer_id = request.document.producer_id
    return ForgottenView(was_known=partition_of(request).forget_producer(producer_id))


@PARTITIONS.add("POST", f"{_PATH}/compact", reads=Nothing, answers=CompactedView)
def compact(request: ApiRequest[Nothing]) -> CompactedView:
    """Compact the log, as one run of Kafka's log cleaner does."""
    return CompactedView(removed=partition_of(request).compact())


@PARTITIONS.add("POST", "/topics/{topic}/recreate", reads=RecreateDocument, answers=TopicView)
def recreate_topic(request: ApiRequest[RecreateDocument]) -> TopicView:
    """Delete a topic and create it again: the same name, another id, and empty logs."""
    name, cluster, document = request.names["topic"], request.cluster, request.document
    cluster.look(lambda state, _now_ms: topic_of(state, name))
    cluster.recreate_topic(name, partitions=document.partitions, start_offset=document.start_offset)
    return cluster.look(lambda state, _now_ms: topic_view(topic_of(state, name)))


def _happened(
    request: ApiRequest[Any], event: Callable[[PartitionHandle], object]
) -> PartitionView:
    """Apply an action to the partition in the path, and show the partition.

    Raises:
        Problem: there is no such partition.

    """
    partition = partition_of(request)
    event(partition)
    topic, index = partition.topic, partition.index
    return request.cluster.look(
        lambda state, _now_ms: partition_view(partitions_of(state, topic, index)[0])
    )


def partition_of(request: ApiRequest[Any]) -> PartitionHandle:
    """Return the partition in the path.

    Raises:
        Problem: there is no such topic.

    """
    topic = request.names["topic"]
    request.cluster.look(lambda state, _now_ms: topic_of(state, topic))
    return request.cluster.partition(topic, request.number("partition"))
