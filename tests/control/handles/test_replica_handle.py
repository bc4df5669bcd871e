"""The handle of a replica: what its own log has, and how it is made to differ."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from mockbroker import Cluster, Release
from mockbroker.control.handles.replica_handle import ProducerInfo
from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.producer.producer_recovery import KeptSnapshot
from mockbroker.wire import WireProducer


@contextmanager
def replicated(kafka: Release = "4.4") -> Iterator[tuple[Cluster, WireProducer]]:
    """Yield a cluster with `orders` on brokers 1, 2 and 3, and an idempotent producer."""
    with (
        Cluster(
            kafka=kafka,
            brokers=3,
            topics={"orders": 1},
            config={"default.replication.factor": "3", "min.insync.replicas": "1"},
            clock="manual",
        ) as cluster,
        WireProducer(cluster.bootstrap_servers) as producer,
    ):
        producer.init_producer_id()
        cluster.partition("orders", 0).elect(1)
        yield cluster, producer


def write(producer: WireProducer, *sequences: int) -> list[tuple[ErrorCode, int]]:
    answers = [producer.produce("orders", b"x", base_sequence=each, acks=1) for each in sequences]
    return [(each.error, each.base_offset) for each in answers]


def test_replicas_that_follow_have_what_their_leader_has() -> None:
    with replicated() as (cluster, producer):
        write(producer, 0, 1)
        partition = cluster.partition("orders", 0)
        for broker in partition.replicas:
            replica = partition.replica(broker)
            assert (replica.is_in_sync, replica.fetches) == (True, True)
            assert (replica.log_start_offset, replica.last_stable_offset) == (0, 2)
            assert (replica.high_watermark, replica.log_end_offset) == (2, 2)
            assert replica.leader_epochs == partition.replica(1).leader_epochs
            known = ProducerInfo(producer.producer_id, 0, 1, 1, -1)
            assert replica.producers == [known]


def test_there_is_no_replica_on_other_brokers() -> None:
    with Cluster(brokers=2, topics={"orders": 1}) as cluster:
        replica = cluster.partition("orders", 0).replica(3)
        with pytest.raises(LookupError, match="holds no replica of orders-0"):
            assert replica.log_end_offset
        with pytest.raises(LookupError, match="there is no partition orders-7"):
            assert cluster.partition("orders", 7).replica(1).fetches
        assert "of broker 3: state=broker 3 holds no replica of orders-0" in repr(replica)


def test_a_lagging_replica_that_is_elected_answers_retries_of_deleted_records() -> None:
    """KIP-360: state outlives the records, also at a replica that lagged."""
    with replicated() as (cluster, producer):
        partition = cluster.partition("orders", 0)
        write(producer, 0, 1)
        partition.delete_records()
        cluster.lag(2)
        assert write(producer, 2) == [(ErrorCode.NONE, 2)]
        assert partition.replica(2).fetches is False
        assert (partition.replica(2).log_end_offset, partition.log_end_offset) == (2, 3)
        cluster.kill(1)
        assert partition.leader == 2
        assert write(producer, 1, 0) == [(ErrorCode.NONE, 1), (ErrorCode.NONE, 0)]
        assert write(producer, 2) == [(ErrorCode.NONE, 2)]


def test_state_that_was_lost_resurfaces_with_an_older_log_start() -> None:
    """KIP-360, problem 2: a leader that had not seen the log start has the records again."""
    with replicated("2.3") as (cluster, producer):
        partition = cluster.partition("orders", 0)
        write(producer, 0, 1)
        cluster.lag(2)
        partition.delete_records()
        assert write(producer, 2) == [(ErrorCode.UNKNOWN_PRODUCER_ID, -1)]
        assert write(producer, 0) == [(ErrorCode.NONE, 2)]  # the client has reset its sequences
        cluster.kill(1)
        assert partition.replica(2).log_start_offset == 0
        assert write(producer, 1) == [(ErrorCode.NONE, 1)]  # taken for a retry of what is there
        assert write(producer, 3) == [(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, -1)]


def test_a_follower_with_held_offsets_copies_records_only() -> None:
    with replicated() as (cluster, producer):
        partition = cluster.partition("orders", 0)
        write(producer, 0, 1)
        replica = partition.replica(2)
        replica.hold_offsets()
        write(producer, 2)
        partition.delete_records(2)
        offsets = (replica.log_start_offset, replica.high_watermark, replica.log_end_offset)
        assert offsets == (0, 2, 3)
        replica.release_offsets()
        assert (replica.log_start_offset, replica.high_watermark) == (2, 3)
        partition.replica(3).release_offsets()  # nothing was held
        with pytest.raises(ValueError, match="broker 1 leads orders-0"):
            partition.replica(1).hold_offsets()


def test_the_log_start_of_one_replica_moves_alone() -> None:
    with replicated() as (cluster, producer):
        partition = cluster.partition("orders", 0)
        write(producer, 0, 1, 2)
        assert partition.replica(2).move_log_start(2) == 2
        assert [partition.replica(each).log_start_offset for each in (1, 2, 3)] == [0, 2, 0]
        assert partition.replica(2).move_log_start(1) == 1
        partition.elect(2)
        assert [partition.replica(each).log_start_offset for each in (1, 2, 3)] == [1, 1, 1]
        with pytest.raises(ValueError, match="9 is beyond the high watermark, which is 3"):
            partition.replica(2).move_log_start(9)


@pytest.mark.parametrize(
    ("snapshot", "known"), [("full", [(1, 1), (0, -1)]), ("stale", [(1, 1), (0, -1)]), ("none", [])]
)
def test_a_restarted_replica_knows_one_batch_of_each_producer(
    snapshot: KeptSnapshot, known: list[tuple[int, int]]
) -> None:
    with replicated() as (cluster, producer):
        partition = cluster.partition("orders", 0)
        write(producer, 0, 1)
        partition.replica(2).reload_producers(snapshot)
        assert [each.last_sequence for each in partition.replica(2).producers] == [
            sequence for sequence, offset in known if offset >= 0
        ]
        assert [each.last_sequence for each in partition.replica(1).producers] == [1]
        partition.elect(2)
        if known:
            assert write(producer, 1, 0) == [
                (ErrorCode.NONE, 1),
                (ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, -1),
            ]
        else:
            assert write(producer, 1) == [(ErrorCode.NONE, 2)]  # a duplicate
        with pytest.raises(ValueError, match="allowed are full, stale, none"):
            partition.replica(2).reload_producers("some")  # type: ignore[arg-type]


def test_replicas_disagree_about_a_producer() -> None:
    with replicated("2.3") as (cluster, producer):
        partition = cluster.partition("orders", 0)
        write(producer, 0)
        assert partition.replica(3).forget_producer(producer.producer_id)
        assert not partition.replica(3).forget_producer(producer.producer_id)
        assert write(producer, 1) == [(ErrorCode.NONE, 1)]
        partition.replica(3).forget_producer(producer.producer_id)
        partition.elect(3)
        assert write(producer, 2) == [(ErrorCode.UNKNOWN_PRODUCER_ID, -1)]
        partition.elect(1)
        assert write(producer, 2) == [(ErrorCode.NONE, 2)]


def test_a_stopped_broker_knows_producers_without_records_and_a_killed_one_does_not() -> None:
    for end, known in ("stop_broker", [0, 0]), ("kill", [0]):
        with replicated() as (cluster, producer), WireProducer(cluster.bootstrap_servers) as other:
            partition = cluster.partition("orders", 0)
            other.init_producer_id()
            other.produce("orders", b"x", base_sequence=0, acks=1)
            write(producer, 0)
            partition.delete_records(1)
            cluster.clock.advance("1m")  # the checkpoint has the log start
            getattr(cluster, end)(2)
            assert cluster.brokers[1].state == ("stopped" if end == "stop_broker" else "killed")
            cluster.start(2)
            assert [each.last_sequence for each in partition.replica(2).producers] == known
