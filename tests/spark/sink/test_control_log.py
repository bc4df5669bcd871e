"""The control topic."""

from collections.abc import Iterator

import pytest

from mockbroker import Cluster
from mockbroker.protocol.records.batch import parse_batch_header
from mockbroker.spark.format_errors import KafkaEosError
from mockbroker.spark.sink.control_log import ControlLog
from mockbroker.spark.sink.control_records import (
    BatchIdentity,
    DecidedBatch,
    EndedBatch,
    Opened,
    TaskTransaction,
    Written,
    encode,
)
from mockbroker.spark.sink.transaction_requests import TransactionEndedError, TransactionRequests
from mockbroker.wire.cluster import TopicIdPartition, WireCluster
from mockbroker.wire.partition_reader import stored_batches

TOPIC = "control"
ALL = TopicIdPartition(TOPIC, 0)


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(topics={}) as cluster:
        yield cluster


@pytest.fixture
def wire(cluster: Cluster) -> Iterator[WireCluster]:
    with WireCluster(cluster.bootstrap_servers, patience_s=2) as wire:
        yield wire


def log_of(wire: WireCluster) -> ControlLog:
    log = ControlLog(wire, TOPIC)
    log.prepare()
    return log


def opened(wire: WireCluster, log: ControlLog, prefix: str = "sink", name: str = "a") -> int:
    producer = TransactionRequests(wire).init(f"{prefix}-{name}", 60_000)
    transaction = TaskTransaction(**producer._asdict(), task=0, attempt=0)
    return log.append(Opened(prefix=prefix, transaction=transaction), producer)


def decided(log: ControlLog, batch: int = 0, prefix: str = "sink") -> DecidedBatch:
    identity = BatchIdentity("q", str(batch))
    return DecidedBatch(prefix=prefix, identity=identity, since=log.end(), written=())


def ended(decision: DecidedBatch) -> EndedBatch:
    return EndedBatch(
        prefix=decision.prefix, identity=decision.identity, since=decision.since, is_done=True
    )


def test_the_topic_is_made_once_and_compacted(cluster: Cluster, wire: WireCluster) -> None:
    log_of(wire)
    log = log_of(wire)
    assert (log.end(), log.tail("sink")) == (0, [])
    assert len(wire.topic(TOPIC).leaders) == 1


@pytest.mark.parametrize("policy", ["delete", "compact,delete"])
def test_a_topic_that_loses_old_records_is_refused(
    cluster: Cluster, wire: WireCluster, policy: str
) -> None:
    cluster.create_topic(TOPIC, partitions=1, config={"cleanup.policy": policy})
    with pytest.raises(KafkaEosError, match="the control topic control loses old records"):
        ControlLog(wire, TOPIC).prepare()


def test_a_topic_that_may_not_be_described_is_used(cluster: Cluster, wire: WireCluster) -> None:
    cluster.create_topic(TOPIC, partitions=1)
    cluster.fault("DescribeConfigs").answer("TOPIC_AUTHORIZATION_FAILED")
    assert log_of(wire).end() == 0


def test_an_empty_answer_is_asked_again(cluster: Cluster, wire: WireCluster) -> None:
    log = log_of(wire)
    offset = opened(wire, log)
    cluster.fault("Fetch").answer("NONE").once()
    assert [each.offset for each in log.read("sink", 0, log.end())] == [offset]


def test_a_sink_sees_its_own_records(wire: WireCluster) -> None:
    log = log_of(wire)
    opened(wire, log, "other")
    offset = opened(wire, log)
    (found,) = log.tail("sink")
    assert (found.offset, found.is_settled) == (offset, True)


def test_a_decision_counts_when_it_is_committed(wire: WireCluster) -> None:
    log, requests = log_of(wire), TransactionRequests(wire)
    producer = requests.init("sink", 60_000)
    decision = decided(log)
    log.append_decision(decision, producer, requests)
    log.append(ended(decision), producer, 1)
    assert [each.record for each in log.tail("sink")] == [decision, ended(decision)]


def test_a_decision_may_be_larger_than_the_default_of_max_message_bytes(wire: WireCluster) -> None:
    log, requests = log_of(wire), TransactionRequests(wire)
    producer = requests.init("sink", 60_000)
    partitions = {f"orders-{index}": (10**7 + index, 10**8 + index, 51) for index in range(200)}
    written = tuple(
        Written(
            transaction=TaskTransaction(**producer._asdict(), task=task, attempt=0),
            ranges=partitions,
        )
        for task in range(200)
    )
    decision = DecidedBatch(
        prefix="sink", identity=BatchIdentity("q", "1"), since=log.end(), written=written
    )
    assert len(encode(decision)) > 1_048_588  # the default of max.message.bytes
    log.append_decision(decision, producer, requests)
    (found,) = log.tail("sink")
    assert found.record == decision


def test_a_fenced_driver_cannot_decide(wire: WireCluster) -> None:
    log, requests = log_of(wire), TransactionRequests(wire)
    old = requests.init("sink", 60_000)
    requests.init("sink", 60_000)
    with pytest.raises(TransactionEndedError):
        log.append_decision(decided(log), old, requests)
    assert log.tail("sink") == []


def test_an_aborted_decision_is_left_out_and_an_open_one_is_not_settled(
    cluster: Cluster, wire: WireCluster
) -> None:
    log, requests = log_of(wire), TransactionRequests(wire)
    producer = requests.init("sink", 60_000)
    cluster.fault("EndTxn").answer("UNKNOWN_SERVER_ERROR").once()
    with pytest.raises(Exception, match="UNKNOWN_SERVER_ERROR"):
        log.append_decision(decided(log), producer, requests)
    (found,) = log.read("sink", 0, log.end())
    assert not found.is_settled
    requests.init("sink", 60_000)
    assert log.read("sink", 0, log.end()) == []


def test_the_tail_begins_with_the_last_decided_batch(wire: WireCluster) -> None:
    log, requests = log_of(wire), TransactionRequests(wire)
    registered = -1
    for batch in range(3):
        decision = decided(log, batch)
        registered = opened(wire, log)
        producer = requests.init("sink", 60_000)
        log.append_decision(decision, producer, requests)
        log.append(ended(decision), producer, 1)
    for _ in range(150):  # of another sink
        opened(wire, log, "other")
    last = opened(wire, log, name="b")
    offsets = [each.offset for each in log.tail("sink")]
    assert (offsets[0], len(offsets), offsets[-1]) == (registered, 4, last)


def test_records_of_something_else_are_refused(cluster: Cluster, wire: WireCluster) -> None:
    log = log_of(wire)
    cluster.append(TOPIC, "hello", key="k")
    with pytest.raises(KafkaEosError, match="control-0 has at offset 0 a record that is not of"):
        log.tail("sink")


def test_records_that_are_gone_are_told(cluster: Cluster, wire: WireCluster) -> None:
    log = log_of(wire)
    opened(wire, log)
    with pytest.raises(Exception, match="OFFSET_OUT_OF_RANGE"):
        log.read("sink", 5, 6)


def test_the_marker_of_an_aborted_decision_may_be_emptied_by_compaction(
    cluster: Cluster, wire: WireCluster
) -> None:
    configs = {"cleanup.policy": "compact", "delete.retention.ms": "3600000"}
    cluster.create_topic(TOPIC, partitions=1, config=configs)
    log, requests = log_of(wire), TransactionRequests(wire)
    producer = requests.init("sink", 60_000)
    cluster.fault("EndTxn").answer("UNKNOWN_SERVER_ERROR").once()
    with pytest.raises(Exception, match="UNKNOWN_SERVER_ERROR"):
        log.append_decision(decided(log), producer, requests)
    requests.init("sink", 60_000)  # aborts
    offset = opened(wire, log)
    control = cluster.partition(TOPIC, 0)
    control.compact()  # removes the decision
    control.compact()  # gives the marker its time of deletion
    cluster.clock.advance("2h")  # the brokers still know the producer
    control.compact()
    batches = [parse_batch_header(batch) for batch in stored_batches(wire, ALL, 0, log.end())]
    assert [(each.is_control, each.record_count) for each in batches] == [(True, 0), (False, 1)]
    assert [each.offset for each in log.tail("sink")] == [offset]
