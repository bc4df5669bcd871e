"""Fast path of Produce, for requests with one topic and common-case batches.

Almost all Produce requests of almost all clients have this form, and consecutive ones on a
connection differ only in correlation id, partitions and batches. So a connection keeps a template
of such a request (`protocol.produce_template`), which parses the next request and writes the
response.

Transactional batches use this path too; the coordinator verifies the first one, which has to be
alone in its request.

Every batch is validated: checksum, header, every record, also those of a compressed batch. In all
other cases (another layout, an error) the result is None, nothing is changed, and the general path
answers from the same state. A test sends the same traffic on both paths.
"""

from typing import Final

from mockbroker.broker.produce.append import KEEP_VIEW_FROM_BYTES
from mockbroker.broker.produce.batch_rules import FIRST_WITH_ZSTD, batch_rules_of
from mockbroker.broker.produce.fast_path.fast_append import PlainAppend
from mockbroker.broker.service import Service
from mockbroker.events.event_types import NOBODY, Sender
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.framing import SIZE_BYTES, read_size
from mockbroker.protocol.headers import first_bytes_of
from mockbroker.protocol.produce_template import (
    ENTRY_HEAD_BYTES,
    Appended,
    Fields,
    ProduceTemplate,
    ReadFront,
    learn,
)
from mockbroker.protocol.records.batch import STAMPED_BYTES, pack_stamps, stamp
from mockbroker.protocol.records.validation.batch_rules import BatchRules
from mockbroker.protocol.records.validation.fast_validator import is_surely_valid
from mockbroker.protocol.types import (
    NO_PRODUCER_ID,
    TRANSACTIONAL,
    Compression,
    TimestampType,
    Uuid,
)
from mockbroker.state.config.topic_config import TopicConfig
from mockbroker.state.log.memory_budget import BATCH_OVERHEAD_BYTES
from mockbroker.state.log.partition_log import PartitionLog
from mockbroker.state.replication.high_watermark import has_enough_replicas
from mockbroker.state.topic.topic import Partition, Topic

FIRST_WITH_TOPIC_ID: Final = 13
PRODUCER_COMPRESSION: Final = "producer"
_PRODUCE: Final = first_bytes_of(ApiKey.PRODUCE)
_ATTRIBUTES: Final = 5
"""Place in the fields of a batch header."""
_COPY_BELOW_BYTES: Final = 4096
_LEARN_EVERY: Final = 32
_IMPATIENT_UNTIL: Final = 8


class _Target:
    """A partition, its batch rules, and the config from which they were built."""

    __slots__ = ("config", "partition", "rules")

    def __init__(self, partition: Partition, rules: BatchRules) -> None:
        self.partition = partition
        self.config: TopicConfig = partition.config
        self.rules = rules


class _Batch:
    """A batch of a request with several ones."""

    __slots__ = ("at", "end", "fields", "index", "partition")

    def __init__(self, index: int, partition: Partition, at: int, end: int, fields: Fields) -> None:
        self.index = index
        self.partition = partition
        self.at = at
        self.end = end
        self.fields = fields

    def is_ready(self, charge_bytes: int) -> bool:
        """Return True if `PartitionLog.append_next` would append the batch.

        `charge_bytes` is the memory for all batches of the request.
        """
        (
            _, _, _, _, _, attributes, _,
            _, max_timestamp, producer_id, producer_epoch, base_sequence, record_count,
        ) = self.fields  # fmt: skip
        log = self.partition.log
        return (
            log is not None
            and log.is_ready_for(
                self.end - self.at, max_timestamp, self.partition.leader_epoch, charge_bytes
            )
            and (
                producer_id <= NO_PRODUCER_ID
                or log.producers.find_next(
                    producer_id,
                    producer_epoch,
                    base_sequence,
                    base_sequence + record_count - 1,
                    is_transactional=attributes & TRANSACTIONAL != 0,
                )
                is not None
            )
        )


class ProducePath:
    """Answers the common-case Produce requests of one connection."""

    __slots__ = (
        "_acks",
        "_broker_id",
        "_connection_id",
        "_misses",
        "_plain",
        "_principal",
        "_revision",
        "_sender",
        "_service",
        "_targets",
        "_template",
        "_topic",
        "_topics",
        "_versions",
    )

    def __init__(
        self, service: Service, broker_id: int, versions: range, connection_id: int, principal: str
    ) -> None:
        """Start without a template; learn those of the versions that the broker serves."""
        self._service = service
        self._topics = service.cluster.topics
        self._broker_id = broker_id
        self._connection_id = connection_id
        self._principal = principal
        self._sender = NOBODY
        self._versions = versions
        self._misses = 0
        self._revision = -1
        self._acks = 0
        self._plain = PlainAppend(service, NOBODY)
        self._template: ProduceTemplate | None = None
        self._topic: Topic | None = None
        self._targets: dict[int, _Target] = {}

    def answer_frames(self, data: bytes, position: int, until: int, out: list[bytes]) -> int:
        """Answer the whole frames that start before `until`, up to one for the general path.

        The answers are appended to `out`. Return the position after the answered frames.
        """
        end = len(data)
        while position < until and end - position > SIZE_BYTES:
            (size_bytes,) = read_size(data, position)
            start = position + SIZE_BYTES
            if not 0 < size_bytes <= end - start:
                return position
            answer = self.answer(data, start, start + size_bytes)
            if answer is None:
                return position
            if answer:
                out.append(answer)
            position = start + size_bytes
        return position

    def answer(self, data: bytes | bytearray, start: int, stop: int) -> bytes | None:
        """Answer the frame `data[start:stop]`; b"" for acks=0, None for the general path."""
        template = self._template
        if template is None or self._topics.revision != self._revision:
            self._miss(data, start, stop)
            return None
        head = data if isinstance(data, bytes) else bytes(memoryview(data)[: template.head_bytes])
        front = template.read_front(head, start, stop - start)
        if front is None:
            self._miss(data, start, stop)
            return None
        correlation_id, count, at = front
        if count > 1:
            return self._answer_several(template, data, stop, front)
        read = template.read_partition(head, at, 0, stop)
        if read is None or not template.matches_end(data[read[2] : stop]):
            self._miss(data, start, stop)
            return None
        index, at, end, fields = read
        target = self._target_of(index)
        service = self._service
        if target is None or not self._is_valid(target, data, at, end, fields):
            return None
        partition = target.partition
        log = partition.log or service.cluster.log_of(partition, service.now_ms)
        base_offset = self._append(partition, log, data, at, end, fields)
        if base_offset is None:
            return None
        if service.purgatory.waiting:
            service.purgatory.touch(partition)
        if service.event_bus is not None:
            service.event_bus.batch_produced(
                self._sender, correlation_id, partition, fields, base_offset
            )
        if not self._acks:
            return b""
        return template.answer(correlation_id, index, base_offset, log.log_start_offset)

    def _answer_several(
        self, template: ProduceTemplate, data: bytes | bytearray, stop: int, front: ReadFront
    ) -> bytes | None:
        """Answer a request with batches for several partitions.

        All batches are checked before the first is appended. Subscribers need the general path.
        """
        service = self._service
        correlation_id, _, _ = front
        if service.event_bus is not None:
            return None
        batches = self._ready_batches(template, data, stop, front)
        if batches is None:
            return None
        appended: list[Appended] = []
        for batch in batches:
            partition = batch.partition
            log = partition.log
            assert log is not None
            base_offset = self._append(partition, log, data, batch.at, batch.end, batch.fields)
            assert base_offset is not None, "checked in `_ready_batches`"
            if service.purgatory.waiting:
                service.purgatory.touch(partition)
            appended.append((batch.index, base_offset, log.log_start_offset))
        return template.answer_several(correlation_id, appended) if self._acks else b""

    def _ready_batches(
        self, template: ProduceTemplate, data: bytes | bytearray, stop: int, front: ReadFront
    ) -> list[_Batch] | None:
        """Return the batches of a request if all of them can be appended now; else None."""
        _, count, at = front
        charge_bytes = len(data) + count * BATCH_OVERHEAD_BYTES
        seen: set[int] = set()
        batches: list[_Batch] = []
        for number in range(count):
            if isinstance(data, bytes):
                read = template.read_partition(data, at, 0, stop)
            else:
                entry = bytes(memoryview(data)[at : at + ENTRY_HEAD_BYTES])
                read = template.read_partition(entry, at, at, stop)
            if read is None:
                return None
            index, start, end, fields = read
            at = template.position_after(data, end)
            if at < 0 or (number == count - 1 and not template.matches_end(data[end:stop])):
                return None
            target = self._target_of(index)
            if target is None or index in seen:
                return None
            batch = _Batch(index, target.partition, start, end, fields)
            if not batch.is_ready(charge_bytes) or not self._is_valid(
                target, data, start, end, fields
            ):
                return None
            seen.add(index)
            batches.append(batch)
        return batches

    def _target_of(self, index: int) -> _Target | None:
        target = self._targets.get(index)
        if target is None or target.config is not target.partition.config:
            return self._new_target(index)
        return target

    def _is_valid(
        self, target: _Target, data: bytes | bytearray, at: int, end: int, fields: Fields
    ) -> bool:
        """Return True if a batch is valid; its log and its producer may refuse it nevertheless."""
        return not (
            fields[_ATTRIBUTES] & TRANSACTIONAL and not self._plain.may_verify(fields)
        ) and is_surely_valid(data, at, end, fields, target.rules, self._service.client_now_ms)

    def _append(  # noqa: PLR0917 - the hot path
        self,
        partition: Partition,
        log: PartitionLog,
        data: bytes | bytearray,
        at: int,
        end: int,
        fields: Fields,
    ) -> int | None:
        """Append a batch, and return its base offset; None if it is a retry or refused."""
        (
            _, batch_length, _, _, _, attributes, _,
            _, max_timestamp, producer_id, producer_epoch, base_sequence, record_count,
        ) = fields  # fmt: skip
        base_offset, leader_epoch = log.log_end_offset, partition.leader_epoch
        stored = _stored(data, at, end, pack_stamps(base_offset, batch_length, leader_epoch))
        if not log.append_next(
            stored,
            max_timestamp,
            record_count,
            leader_epoch=leader_epoch,
            now_ms=self._service.now_ms,
            producer_id=producer_id,
            producer_epoch=producer_epoch,
            base_sequence=base_sequence,
            is_transactional=attributes & TRANSACTIONAL != 0,
        ) and not self._plain.append(partition, log, stored, fields):
            return None
        if isinstance(stored, memoryview):
            stamp(stored, 0, base_offset, leader_epoch)
        return base_offset

    # Learning.

    def _miss(self, data: bytes | bytearray, start: int, stop: int) -> None:
        """Learn a template from a Produce that did not match; less often after many misses."""
        if data[start : start + len(_PRODUCE)] != _PRODUCE:
            return
        self._misses += 1
        if self._misses <= _IMPATIENT_UNTIL or self._misses % _LEARN_EVERY == 0:
            self._learn(bytes(data[start:stop]))

    def _learn(self, frame: bytes) -> None:
        template = learn(frame, self._versions)
        if template is None or template.request.acks not in (-1, 0, 1):
            return
        request, version = template.request, template.header.request_api_version
        (topic_data,) = request.topic_data
        topic = self._topic_of(
            topic_data.name, topic_data.topic_id, by_id=version >= FIRST_WITH_TOPIC_ID
        )
        if topic is None or topic.is_internal:
            return
        self._template = template
        self._topic = topic
        self._acks = request.acks
        self._sender = Sender(
            self._broker_id,
            self._connection_id,
            template.header.client_id,
            version,
            request.acks,
            request.transactional_id,
            topic.name,
            self._principal,
        )
        self._plain = PlainAppend(self._service, self._sender)
        self._revision = self._topics.revision
        self._targets.clear()

    def _topic_of(self, name: str, topic_id: Uuid, *, by_id: bool) -> Topic | None:
        return self._topics.by_id(topic_id) if by_id else self._topics.get(name)

    def _new_target(self, index: int) -> _Target | None:
        """Return a partition that this broker leads and that stores batches unchanged, or None."""
        assert self._topic is not None
        partition = self._topic.partition(index)
        if partition is None or partition.leader_id != self._broker_id:
            return None
        rules = batch_rules_of(self._service, partition)
        if (
            rules.is_compacted
            or rules.timestamp_type is not TimestampType.CREATE_TIME
            or partition.config.compression_type != PRODUCER_COMPRESSION
            or not partition.config.has_newest_format
            or (self._acks < 0 and not self._is_replicated_at_once(partition))
        ):
            return None
        assert self._template is not None
        if self._template.header.request_api_version < FIRST_WITH_ZSTD:
            newest = min(rules.release.newest_codec, int(Compression.LZ4))
            rules = rules._replace(release=rules.release._replace(newest_codec=newest))
        target = self._targets[index] = _Target(partition, rules)
        return target

    def _is_replicated_at_once(self, partition: Partition) -> bool:
        options = self._service.cluster.options
        follow = partition.log is None or partition.log.follows_log_end
        return follow and has_enough_replicas(options, partition)


def _stored(data: bytes | bytearray, at: int, end: int, stamps: bytes) -> bytes | memoryview:
    """Return a batch as the log stores it: a stamped copy, or a view that is stamped later."""
    if end - at < _COPY_BELOW_BYTES:
        return stamps + data[at + STAMPED_BYTES : end]
    if end - at >= KEEP_VIEW_FROM_BYTES and type(data) is bytearray:
        return memoryview(data)[at:end]
    return b"".join((stamps, memoryview(data)[at + STAMPED_BYTES : end]))


def fast_path_for(
    service: Service, broker_id: int, connection_id: int, principal: str
) -> ProducePath:
    """Create the fast path of a connection; if Produce is not served, it answers nothing."""
    route = service.routes.get(ApiKey.PRODUCE)
    versions = range(0) if route is None else route.versions
    return ProducePath(service, broker_id, versions, connection_id, principal)
