"""Compaction: retained keys, tombstones, transactions and producers, and their offsets."""

from collections.abc import Iterator
from typing import Final

import pytest

from mockbroker import Cluster
from mockbroker.broker.internal_records.log_records_codec import LOG_RECORDS
from mockbroker.broker.log_cleaner import clean
from mockbroker.protocol.records.batch import build_batch, parse_batch_header, records_of, stamp
from mockbroker.protocol.records.record import Record
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.log.log_batches import batches_of
from mockbroker.state.log.log_truncation import truncate_to
from mockbroker.state.producer.end_txn_marker import EndTxnMarker
from mockbroker.state.producer.producer_recovery import recover_producers
from mockbroker.state.topic.replication_control import NewTopic
from tests.state.cluster_building import new_cluster

NOW_MS: Final = 1_000
RETENTION_MS: Final = 500
COMPACT: Final = (("cleanup.policy", "compact"),)

Pair = tuple[str, str | None]


class Compacted:
    """Partition of a compacted topic, with its writers."""

    def __init__(self) -> None:
        self.cluster: ClusterState = new_cluster("2.8")
        wanted = NewTopic(name="orders", num_partitions=1, configs=COMPACT)
        self.partition = self.cluster.create_topic(wanted).partitions[0]
        self.log = self.cluster.log_of(self.partition, NOW_MS)
        self._sequences: dict[int, int] = {}

    def write(self, *pairs: Pair, producer_id: int = -1, is_transactional: bool = False) -> None:
        """Append a batch of keys and values."""
        end = self.log.log_end_offset
        sequence = self._sequences.get(producer_id, 0) if producer_id >= 0 else -1
        data = bytearray(
            build_batch(
                [
                    Record(
                        offset=end + n,
                        timestamp=NOW_MS + n,
                        key=key.encode(),
                        value=None if value is None else value.encode(),
                    )
                    for n, (key, value) in enumerate(pairs)
                ],
                producer_id=producer_id,
                producer_epoch=0 if producer_id >= 0 else -1,
                base_sequence=sequence,
                is_transactional=is_transactional,
            )
        )
        stamp(data, 0, end, 0)
        self.log.append(parse_batch_header(data, 0), data, leader_epoch=0, now_ms=NOW_MS)
        self._sequences[producer_id] = sequence + len(pairs)

    def end(self, producer_id: int, *, is_commit: bool) -> None:
        """Append a marker."""
        marker = EndTxnMarker(producer_id, 0, 0, is_commit)
        self.cluster.append_end_txn_marker(
            self.partition, marker, transaction_version=0, now_ms=NOW_MS
        )

    def clean(self, now_ms: int = NOW_MS) -> int:
        """Compact the log."""
        return clean(self.log, delete_retention_ms=RETENTION_MS, now_ms=now_ms)

    def shown(self) -> Iterator[tuple[int, str, str | None]]:
        """Return offset, key and value of each record, except markers."""
        for data in batches_of(self.log):
            if not parse_batch_header(data).is_control:
                for record in records_of(data):
                    assert record.key is not None
                    value = None if record.value is None else bytes(record.value).decode()
                    yield record.offset, bytes(record.key).decode(), value

    def batches(self) -> list[tuple[int, int, int]]:
        """Return base offset, last offset and number of records of each batch."""
        headers = [parse_batch_header(data) for data in batches_of(self.log)]
        return [
            (h.base_offset, h.base_offset + h.last_offset_delta, h.record_count) for h in headers
        ]


def test_the_last_record_of_each_key_is_kept_at_its_offset() -> None:
    log = Compacted()
    log.write(("a", "1"), ("b", "1"), ("a", "2"))
    log.write(("b", "2"))
    log.write(("c", "1"))
    assert log.clean() == 2
    assert list(log.shown()) == [(2, "a", "2"), (3, "b", "2"), (4, "c", "1")]
    assert log.batches() == [(0, 2, 1), (3, 3, 1), (4, 4, 1)]
    assert log.log.offsets == (0, 5, 5)
    assert log.clean() == 0


def test_a_removed_offset_returns_the_next_batch() -> None:
    log = Compacted()
    for value in ("1", "2", "3"):
        log.write(("a", value), ("b", value))
    log.write(("z", "last"))
    log.clean()
    assert log.batches() == [(4, 5, 2), (6, 6, 1)]
    for offset in range(6):
        found = log.log.read(offset, max_bytes=1, up_to_offset=7)
        assert parse_batch_header(found.buffers[0]).base_offset == 4
        assert found.next_offset == 6
    assert log.log.read(6, max_bytes=1, up_to_offset=7).next_offset == 7


def test_memory_is_released() -> None:
    log = Compacted()
    for _ in range(50):
        log.write(("a", "x" * 100))
    before = log.cluster.budget.used_bytes
    log.clean()
    assert log.cluster.budget.used_bytes * 40 < before
    assert log.log.size_bytes == log.log.segments.oldest.size_bytes
    log.write(("a", "more"))
    assert log.log.size_bytes > log.log.segments.oldest.size_bytes
    log.log.delete()
    assert log.cluster.budget.used_bytes == 0


def test_a_tombstone_stays_for_its_time() -> None:
    log = Compacted()
    log.write(("a", "1"))
    log.write(("a", None))
    log.write(("b", "1"))
    assert log.clean() == 1
    assert list(log.shown()) == [(1, "a", None), (2, "b", "1")]
    header = parse_batch_header(next(batches_of(log.log)))
    assert (header.attributes & 0x40, header.base_timestamp) == (0x40, NOW_MS + RETENTION_MS)
    assert log.clean(NOW_MS + RETENTION_MS - 1) == 0
    assert log.clean(NOW_MS + RETENTION_MS) == 1
    assert list(log.shown()) == [(2, "b", "1")]


def test_the_last_batch_of_a_producer_stays_for_its_sequence() -> None:
    log = Compacted()
    log.write(("a", "1"), producer_id=7)
    log.write(("a", "2"), producer_id=7)
    log.write(("a", "3"))
    log.write(("z", "last"))
    log.clean()
    assert log.batches() == [(1, 1, 0), (2, 2, 1), (3, 3, 1)]
    recover_producers(log.log, LOG_RECORDS, now_ms=NOW_MS)
    assert [(each.producer_id, each.last_sequence) for each in log.log.producers] == [(7, 1)]


def test_the_last_batch_of_the_round_stays_for_its_offset() -> None:
    log = Compacted()
    log.write(("a", "1"), producer_id=7, is_transactional=True)
    log.end(7, is_commit=False)
    log.clean()
    assert log.batches()[-1] == (1, 1, 1)


# Transactions


def test_aborted_records_are_removed_and_then_their_marker() -> None:
    log = Compacted()
    log.write(("a", "kept"))
    log.write(("a", "aborted"), producer_id=7, is_transactional=True)
    log.end(7, is_commit=False)
    log.write(("b", "1"), producer_id=7, is_transactional=True)
    log.end(7, is_commit=True)
    log.write(("z", "last"))
    assert log.clean() == 1
    assert list(log.shown()) == [(0, "a", "kept"), (3, "b", "1"), (5, "z", "last")]
    assert [each.first_offset for each in log.log.transaction_index] == [1]
    assert log.clean() == 0  # nothing is left of the transaction: the marker's time begins
    assert len(log.log.transaction_index) == 0
    assert (2, 2, 1) in log.batches()
    assert log.clean(NOW_MS + RETENTION_MS) == 1
    assert (2, 2, 1) not in log.batches()
    assert (4, 4, 1) in log.batches()  # its records are still there


def test_undecided_records_are_not_cleaned() -> None:
    log = Compacted()
    log.write(("a", "1"))
    log.write(("a", "2"))
    log.write(("a", "open"), producer_id=7, is_transactional=True)
    log.write(("a", "behind"))
    assert log.log.last_stable_offset == 2
    assert log.clean() == 1
    assert list(log.shown()) == [(1, "a", "2"), (2, "a", "open"), (3, "a", "behind")]
    log.end(7, is_commit=True)
    assert log.log.last_stable_offset == 5


def test_a_compacted_log_can_be_cut() -> None:
    log = Compacted()
    for value in ("1", "2", "3"):
        log.write(("a", value), ("b", value))
    log.write(("z", "last"))
    log.clean()
    assert truncate_to(log.log, 5, LOG_RECORDS, now_ms=NOW_MS) == 0
    assert log.batches() == []


# At a cluster


def test_a_partition_is_compacted() -> None:
    with Cluster(topics={"orders": 1}, config={"log.cleanup.policy": "compact"}) as cluster:
        orders = cluster.partition("orders", 0)
        assert orders.compact() == 0
    with (
        Cluster(topics={"orders": 1}) as cluster,
        pytest.raises(ValueError, match=r"cleanup\.policy of orders does not contain compact"),
    ):
        cluster.partition("orders", 0).compact()
