"""Producer of one transaction: sends record batches to leaders, and waits for every answer."""

from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any, Final, NamedTuple

import numpy as np

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceResponse,
    TopicProduceData,
)
from mockbroker.protocol.types import Compression
from mockbroker.spark.sink.byte_columns import spans
from mockbroker.spark.sink.control_records import Ranges
from mockbroker.spark.sink.row_columns import RoutedRecords, RowTarget
from mockbroker.spark.sink.row_encoding import EncodedRecords, encode_records, seal_batch
from mockbroker.spark.sink.transaction_requests import (
    PRODUCE_VERSIONS,
    ProducerEpoch,
    TransactionRequests,
    check_transaction,
    produce_request,
)
from mockbroker.wire.client import WireClient
from mockbroker.wire.cluster import RetriableError, TopicIdPartition, WireCluster

_pa: Final[Any] = import_module("pyarrow")  # it has no type annotations

_RECORD_OVERHEAD_BYTES: Final = 12
_MAX_SEQUENCE: Final = 0x7FFFFFFF


class _Batch(NamedTuple):
    target: RowTarget
    data: bytes
    record_count: int


class _Sent(NamedTuple):
    client: WireClient
    version: int
    batches: list[_Batch]


class TaskProducer:
    """Records of one transaction, sent when enough of them are there for a request."""

    def __init__(
        self,
        cluster: WireCluster,
        requests: TransactionRequests,
        producer: ProducerEpoch,
        *,
        target: Callable[[int], RowTarget],
        batch_bytes_max: int,
        compression: Compression = Compression.NONE,
    ) -> None:
        """Take the transaction, which its first record opens, and what a record's place is."""
        self._target = target
        self._cluster = cluster
        self._requests = requests
        self._producer = producer
        self._batch_bytes_max = batch_bytes_max
        self._compression = compression
        self._waiting: list[RoutedRecords] = []
        self._waiting_bytes = 0
        self._sequences: dict[RowTarget, int] = {}
        self._opened: set[RowTarget] = set()
        self._sent: list[_Sent] = []
        self._why = ""
        self.ranges: Ranges = {}

    def send(self, records: RoutedRecords) -> None:
        """Take records, and send what fills a request.

        Raises:
            WireError: the transaction has ended, or records are refused.

        """
        self._waiting.append(records)
        data, _ = spans(records.contents)
        self._waiting_bytes += len(data) + _RECORD_OVERHEAD_BYTES * len(records.places)
        if self._waiting_bytes >= self._batch_bytes_max:
            self._send_waiting()

    def flush(self) -> None:
        """Send all records, and wait until all are stored.

        Raises:
            WireError: the transaction has ended, or records are refused.

        """
        self._send_waiting()
        self._receive_all()

    def _send_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        self._waiting_bytes = 0
        if not waiting:
            return
        contents = _pa.concat_arrays([each.contents for each in waiting])
        places = np.concatenate([each.places for each in waiting])
        batches_of = encode_records(contents, places, self._batch_bytes_max)
        encoded = {self._target(place): batches for place, batches in batches_of.items()}
        while encoded:  # one batch for each partition, as a request may have no more
            batches = [self._sealed(target, parts.pop(0)) for target, parts in encoded.items()]
            encoded = {target: parts for target, parts in encoded.items() if parts}
            self._receive_all()  # brokers worked while this process encoded
            self._open(batch.target for batch in batches)
            self._send(batches)

    def _sealed(self, target: RowTarget, records: EncodedRecords) -> _Batch:
        sequence = self._sequences.get(target, 0)
        self._sequences[target] = sequence + records.record_count & _MAX_SEQUENCE
        data = seal_batch(
            records,
            producer_id=self._producer.producer_id,
            producer_epoch=self._producer.producer_epoch,
            base_sequence=sequence,
            compression=self._compression,
        )
        return _Batch(target, data, records.record_count)

    def _open(self, targets: Iterable[RowTarget]) -> None:
        """Add partitions that are new in the transaction."""
        new = [target for target in targets if target not in self._opened]
        if new:
            self._requests.add(self._producer, [TopicIdPartition(*target) for target in new])
            self._opened.update(new)

    def _send(self, batches: Iterable[_Batch]) -> None:
        by_leader: dict[WireClient, list[_Batch]] = {}
        for batch in batches:
            try:
                leader = self._leader(batch.target)
            except (OSError, RetriableError):
                self._send_again(batch)
            else:
                by_leader.setdefault(leader, []).append(batch)
        for leader, every in by_leader.items():
            for mine in _requests_of(every, self._batch_bytes_max):
                self._send_together(leader, mine)

    def _send_together(self, leader: WireClient, batches: list[_Batch]) -> None:
        try:
            self._sent.append(self._request(leader, batches))
        except OSError:
            for batch in batches:
                self._send_again(batch)

    def _receive_all(self) -> None:
        """Wait for the answers to what was sent, and send again what is not stored."""
        sent, self._sent = self._sent, []
        failed: list[_Batch] = []
        for each in sent:
            try:
                failed += self._receive(each)
            except OSError:
                failed += each.batches
        for batch in failed:
            self._send_again(batch)

    def _send_again(self, batch: _Batch) -> None:
        """Send a batch with the same sequence, which is stored once, until it is."""

        def ask() -> None:
            if self._receive(self._request(self._leader(batch.target), [batch])):
                raise RetriableError(f"{batch.target}: {self._why}")

        self._cluster.retry(ask)

    def _leader(self, target: RowTarget) -> WireClient:
        return self._cluster.leader(TopicIdPartition(*target))

    def _request(self, leader: WireClient, batches: list[_Batch]) -> _Sent:
        topics: dict[str, list[PartitionProduceData]] = {}
        for (topic, partition), data, _ in batches:
            produced = PartitionProduceData(index=partition, records=data)
            topics.setdefault(topic, []).append(produced)
        request = produce_request(
            [TopicProduceData(name=k, partition_data=v) for k, v in topics.items()],
            self._producer.transactional_id,
        )
        version = leader.newest_version(ApiKey.PRODUCE, PRODUCE_VERSIONS)
        leader.send(request, version)
        return _Sent(leader, version, batches)

    def _receive(self, sent: _Sent) -> list[_Batch]:
        """Read an answer, and return the batches that are to be sent again.

        Raises:
            OSError: there is no answer.
            WireError: a batch is refused.

        """
        answer = sent.client.receive(sent.version, ProduceResponse)
        results = {
            RowTarget(topic.name, each.index): each
            for topic in answer.responses
            for each in topic.partition_responses
        }
        failed: list[_Batch] = []
        for batch in sent.batches:
            try:
                self._take(batch, results[batch.target], sent.client.address)
            except RetriableError as error:
                self._why = str(error)
                failed.append(batch)
        return failed

    def _take(self, batch: _Batch, result: PartitionProduceResponse, address: str) -> None:
        where = TopicIdPartition(*batch.target)
        if result.error_code != ErrorCode.DUPLICATE_SEQUENCE_NUMBER:  # Kafka 0.11 and 1.0
            check_transaction(result.error_code, where, f"{address} to Produce")
        last = result.base_offset + batch.record_count - 1
        begin, _, count = self.ranges.get(str(where), (result.base_offset, 0, 0))
        self.ranges[str(where)] = begin, last, count + batch.record_count


def _requests_of(batches: Iterable[_Batch], limit_bytes: int) -> Iterator[list[_Batch]]:
    """Distribute batches to requests with at most `limit_bytes` of them, or with one batch."""
    mine: list[_Batch] = []
    taken_bytes = 0
    for batch in batches:
        if mine and taken_bytes + len(batch.data) > limit_bytes:
            yield mine
            mine, taken_bytes = [], 0
        mine.append(batch)
        taken_bytes += len(batch.data)
    yield mine
