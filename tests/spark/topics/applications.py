"""Applications that write to topics in transactions, as they should."""

import random
from collections import Counter
from typing import Any

from mockbroker import Cluster
from mockbroker.protocol.records.batch import build_batch
from mockbroker.protocol.records.record import Record
from mockbroker.wire import WireProducer


def keyed(*values: bytes, **columns: Any) -> bytes:
    """Build a batch whose records have their values as keys, so that compaction can take them."""
    columns.setdefault("timestamp_ms", None)
    timestamp_ms = columns.pop("timestamp_ms") or 0
    records = [
        Record(offset=offset, timestamp=timestamp_ms, key=value, value=value)
        for offset, value in enumerate(values)
    ]
    return build_batch(records, **columns)


class Applications:
    """Two applications that write to two topics in transactions, as they should."""

    def __init__(self, cluster: Cluster, draw: random.Random) -> None:
        self.cluster = cluster
        self.draw = draw
        self.producers = [WireProducer(cluster.bootstrap_servers, name) for name in ("a", "b")]
        self.sequences: Counter[tuple[WireProducer, str]] = Counter()
        for each in self.producers:
            each.init_producer_id()

    def work(self, transactions: int, producers: int = 2) -> None:
        """Commit or abort so many transactions of the first producers, one in each second."""
        for _ in range(transactions):
            producer = self.draw.choice(self.producers[:producers])
            for topic in self.draw.choice([["orders"], ["paid"], ["orders", "paid"]]):
                producer.add_partition(topic)
                sequence = self.sequences[producer, topic]
                value = b"%d" % self.draw.randrange(6)
                assert not producer.produce(topic, value, base_sequence=sequence).error
                self.sequences[producer, topic] += 1
            _ = producer.commit() if self.draw.random() < 0.7 else producer.abort()
            self.cluster.clock.advance("1s")

    def close(self) -> None:
        for each in self.producers:
            each.close()
