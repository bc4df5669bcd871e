"""Logs as they are shown."""

from mockbroker import Cluster
from mockbroker.broker.stored_records import partitions_of
from mockbroker.http.documents.log_view import log_view, records_view
from mockbroker.wire import WireProducer


def test_an_unused_log_is_empty() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        (partition,) = cluster.look(lambda state, _now_ms: partitions_of(state, "orders", 0))
        shown = cluster.look(lambda state, _now_ms: log_view(state, partition, 0, 10))
        records = cluster.look(
            lambda state, now_ms: records_view(state, partition, "read_committed", (0, 10), now_ms)
        )
    assert (shown.batches, shown.next_offset, records.records) == ([], 0, [])
    assert partition.log is None


def test_batches_and_records_show_their_producers() -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        WireProducer(cluster.bootstrap_servers, "mine") as producer,
    ):
        producer.init_producer_id()
        producer.add_partition("orders", 0)
        producer.produce("orders", b"one", base_sequence=0)
        (partition,) = cluster.look(lambda state, _now_ms: partitions_of(state, "orders", 0))
        (batch,) = cluster.look(lambda state, _now_ms: log_view(state, partition, 0, 10).batches)
        (record,) = cluster.look(
            lambda state, now_ms: (
                records_view(state, partition, "read_uncommitted", (0, 10), now_ms).records
            )
        )
    assert (batch.producer_id, batch.is_transactional, batch.marker) == (
        producer.producer_id,
        True,
        None,
    )
    assert (batch.compression, batch.records, batch.base_sequence) == ("none", 1, 0)
    assert record.value is not None
    assert (record.value.text, record.value.base64) == ("one", "b25l")
    assert record.producer_id == producer.producer_id
