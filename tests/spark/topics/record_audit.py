"""Record what an audit asks a real cluster, for `test_recorded_audits.py`.

    python -m tests.spark.topics.record_audit 127.0.0.1:9092 4.4.0

The broker has no topics yet, and accepts late batches: its config
`transaction.partition.verification.enable` is false, and `transaction.version` is 0.
"""

import sys
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from confluent_kafka import Consumer, TopicPartition

from mockbroker.audit.verdict import Verdict
from mockbroker.protocol.errors import ErrorCode
from mockbroker.spark import audit_topics
from mockbroker.wire import WireProducer
from mockbroker.wire.client import WireError
from mockbroker.wire.cluster import LATEST, WireCluster
from mockbroker.wire.transactions import (
    AnsweredStates,
    OpenInLog,
    listed_transactions,
    open_in_logs,
)
from tests.clients.support.deadline import wait_until
from tests.support.recorded_broker import Recorded, recording, write_recording

FOLDER: Final = Path(__file__).parent / "golden"
TOPICS: Final = ("orders", "payments")
_AFTER_MARKER: Final = 2
"""The last stable offset after a transaction of one record."""


class Heard(NamedTuple):
    """What an audit of a cluster has found, and what its brokers describe."""

    verdict: Verdict
    listed: AnsweredStates | str
    """Why there is none, before 3.0."""
    in_logs: list[OpenInLog]


def heard_of(servers: str) -> Heard:
    """Audit a cluster, and ask it for what is asked where `__transaction_state` is not readable."""
    verdict = audit_topics(servers, TOPICS)
    with WireCluster(servers) as cluster:
        partitions = [each for topic in TOPICS for each in cluster.topic(topic).partitions]
        in_logs = open_in_logs(cluster, partitions)
        try:
            return Heard(verdict, listed_transactions(cluster), in_logs)
        except WireError as error:
            return Heard(verdict, str(error), in_logs)


def write_all(servers: str) -> None:
    """Write transactions with each outcome, a late batch, and an offset beyond its log."""
    with WireCluster(servers) as cluster:
        for topic in TOPICS:
            cluster.create_topic(topic, 1)
    for name, end in (("commit", WireProducer.commit), ("abort", WireProducer.abort), ("", None)):
        with WireProducer(servers, f"svc-{name}") as producer:
            wait_until(partial(_is_begun, producer))
            assert producer.add_partition("payments") is ErrorCode.NONE
            assert not producer.produce("payments", b"paid", base_sequence=0).error
            assert end is None or end(producer) is ErrorCode.NONE
    leave_hanging(servers)
    consumer = Consumer({"bootstrap.servers": servers, "group.id": "billing"})
    consumer.commit(offsets=[TopicPartition("payments", 0, 9)], asynchronous=False)
    consumer.close()


def leave_hanging(servers: str) -> None:
    """Commit a transaction, and write a batch of it after its marker."""
    with WireProducer(servers, "payments") as producer, WireCluster(servers) as cluster:
        (orders,) = cluster.topic("orders").partitions
        assert producer.init_producer_id() is ErrorCode.NONE
        assert producer.add_partition("orders") is ErrorCode.NONE
        assert not producer.produce("orders", b"paid", base_sequence=0).error
        assert producer.commit() is ErrorCode.NONE
        wait_until(lambda: cluster.offset(orders, LATEST, is_committed=True) == _AFTER_MARKER)
        assert not producer.produce("orders", b"late", base_sequence=1).error


def _is_begun(producer: WireProducer) -> bool:
    """Return whether the producer has an id; a new cluster has no coordinator yet."""
    return producer.init_producer_id() is ErrorCode.NONE


def record(server: str, release: str) -> None:
    """Record a conversation."""
    write_all(server)
    recorded: list[Recorded] = []
    with recording(server, recorded) as address:
        heard_of(address)
    FOLDER.mkdir(exist_ok=True)
    write_recording(FOLDER / f"{release}.jsonl", recorded)


if __name__ == "__main__":
    record(*sys.argv[1:])
