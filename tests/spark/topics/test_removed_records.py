"""Topics from whose beginning records are removed while they are read."""

import pytest

from mockbroker import Cluster
from mockbroker.protocol.messages.fetch import PartitionData
from mockbroker.spark import audit_topics
from mockbroker.wire import WireProducer
from mockbroker.wire.partition_reader import PartitionReader


def test_records_may_be_removed_from_the_beginning_while_they_are_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        with WireProducer(cluster.bootstrap_servers) as producer:
            producer.init_producer_id()
            for sequence in range(4):
                producer.produce("orders", b"paid", base_sequence=sequence)
        fetch = PartitionReader.fetch

        def after_deletion(reader: PartitionReader, offset: int) -> PartitionData:
            cluster.partition("orders", 0).delete_records(2)
            return fetch(reader, offset)

        monkeypatch.setattr(PartitionReader, "fetch", after_deletion)
        verdict = audit_topics(cluster.bootstrap_servers, ["orders"], identity="off")
    assert (verdict.findings, verdict.counts.appends) == ((), 2)
