"""Batches written to a cluster by producers."""

from mockbroker import Cluster
from mockbroker.protocol.errors import ErrorCode
from mockbroker.wire import WireProducer


def write(cluster: Cluster, topic: str, *sizes: int, index: int = 0) -> None:
    """Write one batch with each number of records, by a new idempotent producer."""
    with WireProducer(cluster.bootstrap_servers) as producer:
        assert producer.init_producer_id() is ErrorCode.NONE
        sequence = 0
        for size in sizes:
            values = [b"value"] * size
            assert not producer.produce(topic, *values, base_sequence=sequence, index=index).error
            sequence += size


def write_transaction(cluster: Cluster, topic: str, size: int, *, is_commit: bool) -> None:
    """Write one batch in a transaction, and end it."""
    with WireProducer(cluster.bootstrap_servers, "orders-svc") as producer:
        assert producer.init_producer_id() is ErrorCode.NONE
        assert producer.add_partition(topic) is ErrorCode.NONE
        assert not producer.produce(topic, *[b"value"] * size, base_sequence=0).error
        ended = producer.commit() if is_commit else producer.abort()
        assert ended is ErrorCode.NONE
