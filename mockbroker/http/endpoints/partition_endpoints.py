"""Control of one partition over HTTP: elections, lagging replicas, lost records."""

from collections.abc import Callable
from typing import Any, Final

from mockbroker.broker.stored_records import partitions_of
from mockbroker.control.partition_handle import KeptLog, PartitionHandle
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
def elect_leader(asked: ApiRequest[ElectDocument]) -> LeaderView:
    """Elect the leader of a partition: the next replica in turn, or the named one."""
    said = asked.said
    asked.cluster.look(lambda cluster, _now_ms: topic_of(cluster, said.topic))
    leader = asked.cluster.partition(said.topic, said.partition).elect(
        said.to,
        producer_state=said.producer_state,
        log=said.log,
        log_end_offset=said.log_end_offset,
        high_watermark=said.high_watermark,
    )
    return LeaderView(leader=leader)


@PARTITIONS.add("POST", f"{_PATH}/lag", reads=ReplicaDocument, answers=PartitionView)
def let_replica_lag(asked: ApiRequest[ReplicaDocument]) -> PartitionView:
    """Stop a replica's fetches from the leader, while it stays in sync."""
    return _happened(asked, lambda partition: partition.lag(asked.said.broker))


@PARTITIONS.add("POST", f"{_PATH}/lose-replica", reads=ReplicaDocument, answers=PartitionView)
def lose_replica(asked: ApiRequest[ReplicaDocument]) -> PartitionView:
    """Remove a replica from the in-sync replicas."""
    return _happened(asked, lambda partition: partition.lose_replica(asked.said.broker))


@PARTITIONS.add("POST", f"{_PATH}/catch-up", reads=CatchUpDocument, answers=PartitionView)
def let_replica_catch_up(asked: ApiRequest[CatchUpDocument]) -> PartitionView:
    """Let one replica, or all whose brokers run, catch up and be in sync again."""
    return _happened(asked, lambda partition: partition.catch_up(asked.said.broker))


@PARTITIONS.add("POST", f"{_PATH}/lose-tail", reads=TailDocument, answers=PartitionView)
def lose_tail(asked: ApiRequest[TailDocument]) -> PartitionView:
    """Lose the last records of all replicas, as when all brokers crash before a flush."""
    return _happened(asked, lambda partition: partition.lose_tail(asked.said.records))


@PARTITIONS.add("POST", f"{_PATH}/move-log-start", reads=LogStartDocument, answers=PartitionView)
def move_log_start(asked: ApiRequest[LogStartDocument]) -> PartitionView:
    """Move the log start offset, as retention does."""
    return _happened(asked, lambda partition: partition.move_log_start(asked.said.to))


@PARTITIONS.add("POST", f"{_PATH}/forget-producer", reads=ProducerDocument, answers=ForgottenView)
def forget_producer(asked: ApiRequest[ProducerDocument]) -> ForgottenView:
    """Forget a producer, as `producer.id.expiration.ms` does."""
    producer_id = asked.said.producer_id
    return ForgottenView(was_known=_partition(asked).forget_producer(producer_id))


@PARTITIONS.add("POST", f"{_PATH}/compact", reads=Nothing, answers=CompactedView)
def compact(asked: ApiRequest[Nothing]) -> CompactedView:
    """Compact the log, as one run of Kafka's log cleaner does."""
    return CompactedView(removed=_partition(asked).compact())


@PARTITIONS.add("POST", "/topics/{topic}/recreate", reads=RecreateDocument, answers=TopicView)
def recreate_topic(asked: ApiRequest[RecreateDocument]) -> TopicView:
    """Delete a topic and create it again: the same name, another id, and empty logs."""
    name, cluster, said = asked.names["topic"], asked.cluster, asked.said
    cluster.look(lambda state, _now_ms: topic_of(state, name))
    cluster.recreate_topic(name, partitions=said.partitions, start_offset=said.start_offset)
    return cluster.look(lambda state, _now_ms: topic_view(topic_of(state, name)))


def _happened(asked: ApiRequest[Any], event: Callable[[PartitionHandle], object]) -> PartitionView:
    """Apply an action to the partition in the path, and show the partition.

    Raises:
        Problem: there is no such partition.

    """
    partition = _partition(asked)
    event(partition)
    topic, index = partition.topic, partition.index
    return asked.cluster.look(
        lambda state, _now_ms: partition_view(partitions_of(state, topic, index)[0])
    )


def _partition(asked: ApiRequest[Any]) -> PartitionHandle:
    """Return the partition in the path.

    Raises:
        Problem: there is no such topic.

    """
    topic = asked.names["topic"]
    asked.cluster.look(lambda state, _now_ms: topic_of(state, topic))
    return asked.cluster.partition(topic, asked.number("partition"))
