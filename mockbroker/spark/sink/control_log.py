"""The control topic: what tasks opened, what drivers decided, and what came of it.

It has one partition, so that all have the same order of events, and is compacted by key. Readers
see uncommitted records, and judge those in transactions by their markers: an open transaction of
one sink does not make the others wait.
"""

import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple

import msgspec

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.produce import (
    PartitionProduceData,
    ProduceResponse,
    TopicProduceData,
)
from mockbroker.protocol.records.batch import (
    batch_spans,
    build_batch,
    parse_batch_header,
    records_of,
)
from mockbroker.protocol.records.control_batch import ControlRecordType, parse_control_type
from mockbroker.protocol.records.record import Record
from mockbroker.protocol.types import Compression
from mockbroker.spark.format_errors import KafkaEosError
from mockbroker.spark.sink.control_records import (
    ControlRecord,
    DecidedBatch,
    Opened,
    decode,
    encode,
    key_of,
)
from mockbroker.spark.sink.transaction_requests import (
    PRODUCE_VERSIONS,
    ProducerEpoch,
    TransactionRequests,
    check_transaction,
    produce_request,
)
from mockbroker.wire.cleanup_policies import DELETE, cleanup_policies
from mockbroker.wire.cluster import (
    EARLIEST,
    LATEST,
    RetriableError,
    TopicIdPartition,
    WireCluster,
    check,
)
from mockbroker.wire.partition_reader import PartitionReader

_CONFIGS: Final = {"cleanup.policy": "compact", "max.message.bytes": str(16 << 20)}
"""A decision has a place for each task and each partition that it wrote to."""
_TAIL: Final = 64
_TAIL_FACTOR: Final = 8
_NANOSECONDS: Final = 1_000_000


class LoggedRecord(NamedTuple):
    """A control record with its offset; one of an open transaction is not settled."""

    offset: int
    record: ControlRecord
    is_settled: bool


class ControlLog:
    """Reader and writer of the control topic's partition."""

    def __init__(self, cluster: WireCluster, topic: str) -> None:
        """Take the topic; nothing is sent yet."""
        self._cluster = cluster
        self._topic = topic
        self._partition = TopicIdPartition(topic, 0)

    def prepare(self) -> None:
        """Create the topic, compacted and with one partition, unless it exists.

        Raises:
            KafkaEosError: it exists, and its records are deleted after a time.
            WireError: it can neither be found nor created.

        """
        if self._cluster.find_topic(self._topic) is None:
            self._cluster.create_topic(self._topic, 1, configs=_CONFIGS)
            return
        policies = cleanup_policies(self._cluster, [self._topic]) or {}
        if DELETE in policies.get(self._topic, ()):
            raise KafkaEosError(
                f"the control topic {self._topic} loses old records (cleanup.policy has delete), "
                "and a batch whose record is lost would be written again: give the topic "
                "cleanup.policy=compact, or set controlTopic to a topic that does not exist"
            )

    def append(self, record: ControlRecord, producer: ProducerEpoch, sequence: int = 0) -> int:
        """Append a record without a transaction, once, and return its offset.

        `sequence` is the number of records that the producer has appended to the topic before.

        Raises:
            TransactionEndedError: a newer epoch of this producer has appended.
            WireError: it is refused, or no leader answers.

        """
        return self._produce(record, producer, sequence)

    def append_decision(
        self,
        decision: DecidedBatch,
        producer: ProducerEpoch,
        requests: TransactionRequests,
        sequence: int = 0,
    ) -> int:
        """Append a decision in the transaction of the driver's transactional id, and commit it.

        Raises:
            TransactionEndedError: another driver has got a newer epoch.
            WireError: it is refused, or no broker answers.

        """
        requests.add(producer, [self._partition])
        offset = self._produce(decision, producer, sequence, is_transactional=True)
        requests.end(producer, is_commit=True)
        return offset

    def end(self) -> int:
        """Return the offset after the last record.

        Raises:
            WireError: no leader answers.

        """
        return self._cluster.offset(self._partition, LATEST)

    def tail(self, prefix: str) -> list[LoggedRecord]:
        """Return a sink's records, from the first registration of its last decided batch on.

        Raises:
            WireError: the topic cannot be read.

        """
        begin = self._cluster.offset(self._partition, EARLIEST)
        end = self.end()
        size = _TAIL
        start = max(begin, end - size)
        while True:
            found = self.read(prefix, start, end)
            wanted = start_of_last_batch(found)
            if start == begin or (wanted is not None and wanted >= start):
                return [each for each in found if each.offset >= (wanted or 0)]
            size *= _TAIL_FACTOR
            start = max(begin, end - size if wanted is None else wanted)

    def read(self, prefix: str, start: int, end: int) -> list[LoggedRecord]:
        """Return the records of one sink in a range; those of aborted transactions are left out.

        Raises:
            WireError: the topic cannot be read.

        """
        found: list[LoggedRecord] = []
        is_committed: dict[int, bool] = {}
        waiting: dict[int, list[int]] = {}
        for batch in self._batches(start, end):
            header = parse_batch_header(batch)
            if header.is_control:
                # compaction empties the marker of a transaction without records
                is_commit = any(
                    parse_control_type(marker.key) is ControlRecordType.COMMIT
                    for marker in records_of(batch)
                )
                for offset in waiting.pop(header.producer_id, ()):
                    is_committed[offset] = is_commit
                continue
            if header.is_transactional:
                waiting.setdefault(header.producer_id, []).append(header.base_offset)
            for each in records_of(batch):
                record = self._decoded(each)
                if record.prefix == prefix:
                    is_settled = not header.is_transactional
                    found.append(LoggedRecord(each.offset, record, is_settled))
        return [
            each._replace(is_settled=each.is_settled or each.offset in is_committed)
            for each in found
            if is_committed.get(each.offset, True)
        ]

    def _decoded(self, record: Record) -> ControlRecord:
        try:
            return decode(record.value or b"")
        except msgspec.MsgspecError as error:
            raise KafkaEosError(
                f"{self._partition} has at offset {record.offset} a record that is not of this "
                f"sink ({error}): set controlTopic to a topic that is used for nothing else"
            ) from None

    def _batches(self, start: int, end: int) -> Iterator[bytes]:
        reader = PartitionReader(self._cluster, self._partition)
        while start < end:
            data = self._cluster.retry(partial(self._fetched, reader, start))
            for first, last in batch_spans(data):
                batch = data[first:last]
                start = parse_batch_header(batch).last_offset + 1
                yield batch

    def _fetched(self, reader: PartitionReader, start: int) -> bytes:
        """Return at least one batch: a new leader may not know yet what was stored before it."""
        answer = reader.fetch(start)
        check(answer.error_code, self._partition, f"Fetch from offset {start}")
        data = bytes(answer.records or b"")
        if not any(batch_spans(data)):
            raise RetriableError(f"{self._partition} has nothing at offset {start}")
        return data

    def _produce(
        self,
        record: ControlRecord,
        producer: ProducerEpoch,
        sequence: int,
        *,
        is_transactional: bool = False,
    ) -> int:
        batch = build_batch(
            [
                Record(
                    timestamp=time.time_ns() // _NANOSECONDS,
                    key=key_of(record),
                    value=encode(record),
                )
            ],
            compression=Compression.NONE if isinstance(record, Opened) else Compression.GZIP,
            producer_id=producer.producer_id,
            producer_epoch=producer.producer_epoch,
            base_sequence=sequence,
            is_transactional=is_transactional,
        )
        produced = PartitionProduceData(index=0, records=batch)
        request = produce_request(
            [TopicProduceData(name=self._topic, partition_data=[produced])],
            producer.transactional_id if is_transactional else None,
        )

        def ask() -> int:
            leader = self._cluster.leader(self._partition)
            topics = leader.ask_newest(request, PRODUCE_VERSIONS, ProduceResponse).responses
            (result,) = topics[0].partition_responses
            code = ErrorCode(result.error_code)
            asked = f"{leader.address} to Produce"
            if code is ErrorCode.INVALID_TXN_STATE and not is_transactional:
                # the marker of the decision before it is not written yet
                raise RetriableError(f"{self._partition}: {code.name} ({asked})")
            check_transaction(code, self._partition, asked)
            return result.base_offset

        return self._cluster.retry(ask)


def start_of_last_batch(records: Sequence[LoggedRecord]) -> int | None:
    """Return the offset from which on the tasks of the last decided batch have registered."""
    for each in reversed(records):
        if each.is_settled and not isinstance(each.record, Opened):
            return each.record.since
    return None
