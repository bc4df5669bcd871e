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


def write_with_id(cluster: Cluster, topic: str, *order_ids: str) -> None:
    """Write a record with each id in its header, as an application does that starts again."""
    for order_id in order_ids:
        producer = Producer(cluster.client_config("confluent"))
        producer.produce(topic, b"order", headers=[("order-id", order_id.encode())])
        assert producer.flush(TIMEOUT_S) == 0


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
        (finding,) = verdict.findings
        assert finding.rule == "ACKED_NOT_DURABLE"
        assert (finding.first_offset, finding.last_offset) == (1, 7)
        assert len(finding.consequences) == 7
    assert truncation.seq in after.findings[0].evidence
    assert acknowledged(Producer(cluster.client_config("confluent")), 2) == [1, 2]
    assert cluster.audit().findings == after.findings


def test_records_that_an_application_writes_again_are_found_by_their_identity(
    cluster: Cluster,
) -> None:
    cluster.create_topic("billed", partitions=1)
    write_with_id(cluster, "orders", "a", "b", "a")
    write_with_id(cluster, "billed", "a", "b")
    without = cluster.audit()
    assert without.findings == ()
    assert not without.is_clean
    assert "Not judged: duplicates by identity" in without.to_html()

    verdict = cluster.audit(identity="header:order-id")
    (finding,) = verdict.findings
    assert finding.text == (
        "orders-0: 1 record (offset 2) is stored again: it is 'a', which is also in orders-0 at "
        "offset 0"
    )
    rows = [each for each in cluster.journal.entries() if each.seq in finding.evidence]
    assert [(each.kind, each.base_offset) for each in rows] == [("append", 0), ("append", 2)]
    assert verdict.to_html().count('class="proof"') == 2

    across = cluster.audit(identity="header:order-id", across_topics=True)
    (finding,) = across.findings
    assert (finding.place, finding.first_offset, finding.last_offset) == ("orders-0", 0, 2)
    assert (finding.copied_place, finding.copied_offset) == (("billed", 0), 0)
    assert " · billed-0" in across.to_html()
    by_key = cluster.audit(identity="key")
    assert by_key.findings == ()
    assert not by_key.is_clean, "records without a key have no identity"


def test_one_truncation_is_one_finding_with_all_that_it_has_lost(cluster: Cluster) -> None:
    producer = Producer(cluster.client_config("confluent"))
    acknowledged(producer, 5)
    cluster.partition("orders", 0).elect(log="truncate", log_end_offset=2)
    (finding,) = cluster.audit().findings
    assert finding.text == (
        "orders-0: 3 acknowledged batches (offsets 2..4) are lost: the log was truncated to "
        "offset 2"
    )
    assert [each.partition(":")[0] for each in finding.consequences] == [
        *("offset 2", "offset 3", "offset 4"),
    ]
    assert finding.consequences[0] in cluster.audit().to_html().replace("&#x27;", "'")
