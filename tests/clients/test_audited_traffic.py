"""Traffic of real clients in clusters that lose or double records, and what the audit finds."""

from collections.abc import Iterator

import pytest
from confluent_kafka import KafkaError, Message, Producer

from mockbroker import Cluster
from tests.clients.support.deadline import TIMEOUT_S

pytestmark = pytest.mark.slow


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    replicas = {"default.replication.factor": "3"}
    with Cluster(brokers=3, topics={"orders": 1}, config=replicas, journal=True) as cluster:
        yield cluster


def acknowledged(producer: Producer, count: int) -> list[int]:
    """Write records to `orders`, and return the offsets that the client got."""
    offsets: list[int] = []

    def delivered(error: KafkaError | None, message: Message) -> None:
        assert error is None, error
        offsets.append(message.offset() or 0)

    for number in range(count):
        producer.produce("orders", b"order-%d" % number, on_delivery=delivered)
        assert producer.flush(TIMEOUT_S) == 0
    return offsets


def test_what_an_isolated_leader_acknowledges_is_lost_before_and_after_it_rejoins(
    cluster: Cluster,
) -> None:
    producer = Producer(cluster.client_config("confluent", acks=1))
    assert acknowledged(producer, 1) == [0]
    isolated = cluster.partition("orders", 0).leader
    cluster.isolate(isolated)
    assert acknowledged(producer, 7) == [*range(1, 8)]
    before = cluster.audit()
    cluster.rejoin(isolated)
    (truncation,) = [each for each in cluster.journal.entries() if each.kind == "truncation"]
    assert (truncation.broker, truncation.leader_epoch, truncation.log_end_offset) == (
        *(isolated, 0, 1),
    )
    after = cluster.audit()
    for verdict in (before, after):
        assert {each.rule for each in verdict.findings} == {"ACKED_NOT_DURABLE"}
    assert all(truncation.seq in each.evidence for each in after.findings)
    assert acknowledged(Producer(cluster.client_config("confluent")), 2) == [1, 2]
    assert cluster.audit().findings == after.findings
