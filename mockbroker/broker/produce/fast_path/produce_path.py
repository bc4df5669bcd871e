"""The narrow way of a Produce request: one topic, one partition, one batch, nothing unusual.

Almost every Produce of almost every client is that, and the next one on the same connection differs
from it only in its correlation id, its partition and its batch. So a connection remembers the bytes
before those (version, client id, acks, topic): where they come again, the whole request, the
batch's header included, is one `struct` call, and the answer is another.

A transaction's batches go this way too; for the first of them the coordinator is asked, as always.

Nothing is believed for being remembered. The batch is judged as always: checksum, header, every
record. What is not usual in any respect (other bytes, a codec, a refusal) is None here and goes
through the pipeline, which finds the same state and gives the same answer. A test sends the same
traffic both ways.
"""

import struct
from collections.abc import Callable
from typing import Final

from mockbroker.broker.produce.fast_path.fast_append import ATTRIBUTES, BATCH_LENGTH, PlainAppend
from mockbroker.broker.produce.fast_path.fast_batch import TRANSACTIONAL, is_plain_batch, kept_batch
from mockbroker.broker.service import Service
from mockbroker.events.event_types import NOBODY, Sender
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.codec import decode, decode_prefix, encode
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.headers import RequestHeader, request_header_version
from mockbroker.protocol.messages.produce import ProduceRequest
from mockbroker.protocol.records.batch import HEADER_BYTES, pack_stamps
from mockbroker.protocol.records.batch_rules import BatchRules
from mockbroker.protocol.records.survey_plan import SurveyPlans
from mockbroker.protocol.types import TimestampType
from mockbroker.protocol.varint import write_uvarint
from mockbroker.state.config.topic_config import TopicConfig
from mockbroker.state.replication.in_sync_replicas import has_enough_replicas
from mockbroker.state.topic.topic import Partition, Topic

FIRST_WITH_LOG_START: Final = 5
FIRST_WITH_RECORD_ERRORS: Final = 8
FIRST_FLEXIBLE: Final = 9
FIRST_WITH_TOPIC_ID: Final = 13
_CORRELATION_AT: Final = 4
_PREFIX_AT: Final = 8
_INDEX_BYTES: Final = 4
_PRODUCE: Final = b"\x00\x00"
PRODUCER_COMPRESSION: Final = "producer"
_TAGS: Final = b"\x00\x00\x00"
_SHAPES_KEPT: Final = 1024
_REMEMBER_EVERY: Final = 32
_IMPATIENT_UNTIL: Final = 8


class _Shape:
    """Where everything is in a frame of one size."""

    __slots__ = ("batch_at", "end_after", "length", "unpack")

    def __init__(self, frame_bytes: int, prefix_bytes: int, *, is_flexible: bool) -> None:
        tail_bytes = len(_TAGS) if is_flexible else 0
        length_at = _PREFIX_AT + prefix_bytes + _INDEX_BYTES
        room = frame_bytes - tail_bytes - length_at
        self.length = _records_length(room, is_flexible=is_flexible)
        self.batch_at = length_at + len(self.length)
        self.end_after = frame_bytes - tail_bytes
        layout = f">4si{prefix_bytes}si{len(self.length)}sqiibIhiqqqhii"
        self.unpack = struct.Struct(layout).unpack_from


def _records_length(room: int, *, is_flexible: bool) -> bytes:
    """Write the length of records that fill `room` together with that length."""
    if not is_flexible:
        return struct.pack(">i", room - 4)
    size = 1
    while len(length := write_uvarint(max(0, room - size) + 1)) > size:
        size += 1
    return length


class _Target:
    """One partition, its rules, and the config they were made from."""

    __slots__ = ("config", "partition", "rules")

    def __init__(self, partition: Partition, rules: BatchRules) -> None:
        self.partition = partition
        self.config: TopicConfig = partition.config
        self.rules = rules


class ProducePath:
    """Answers the plain Produce requests of one connection."""

    __slots__ = (
        "_acks",
        "_answer_bytes",
        "_answer_head",
        "_answer_tail",
        "_broker_id",
        "_connection_id",
        "_is_flexible",
        "_key_and_version",
        "_misses",
        "_pack",
        "_plain",
        "_prefix",
        "_revision",
        "_sender",
        "_service",
        "_shapes",
        "_survey_plans",
        "_targets",
        "_topic",
        "_topics",
        "_versions",
    )

    def __init__(
        self, service: Service, broker_id: int, versions: range, connection_id: int = 0
    ) -> None:
        """Remember nothing yet; serve the versions from 5 on that the broker serves."""
        self._service = service
        self._topics = service.cluster.topics
        self._broker_id = broker_id
        self._connection_id = connection_id
        self._sender = NOBODY
        self._versions = range(max(versions.start, FIRST_WITH_LOG_START), versions.stop)
        self._misses = 0
        self._revision = -1
        self._key_and_version = b""
        self._prefix = b""
        self._is_flexible = False
        self._acks = 0
        self._plain = PlainAppend(service, NOBODY)
        self._survey_plans = SurveyPlans()
        self._topic: Topic | None = None
        self._shapes: dict[int, _Shape] = {}
        self._targets: dict[int, _Target] = {}
        self._pack: Callable[..., bytes] = struct.Struct("").pack
        self._answer_bytes = 0
        self._answer_head = self._answer_tail = b""

    def answer(self, data: bytes | bytearray, start: int, stop: int) -> bytes | None:
        """Answer the frame `data[start:stop]`; empty for acks=0, None where it is not plain."""
        if data[start : start + 2] != _PRODUCE:
            return None
        shape = self._shapes.get(stop - start)
        if shape is None or self._topics.revision != self._revision:
            shape = self._new_shape(data, start, stop)
            if shape is None:
                return None
        key_and_version, correlation_id, prefix, index, length, *fields = shape.unpack(data, start)
        if prefix != self._prefix or key_and_version != self._key_and_version:
            self._miss(data, start, stop)
            return None
        target = self._targets.get(index)
        if target is None or target.config is not target.partition.config:
            target = self._new_target(index)
        at, end = start + shape.batch_at, start + shape.end_after
        if (
            target is None
            or length != shape.length
            or (self._is_flexible and data[end:stop] != _TAGS)
            or (fields[ATTRIBUTES] == TRANSACTIONAL and not self._plain.is_answered_for(fields))
            or not is_plain_batch(
                data, at, end, fields, target.rules, self._service.client_now_ms, self._survey_plans
            )
        ):
            return None
        partition = target.partition
        log = partition.log or self._service.cluster.log_of(partition, self._service.now_ms)
        front = pack_stamps(log.log_end_offset, fields[BATCH_LENGTH], partition.leader_epoch)
        kept = kept_batch(data, at, end, front)
        base_offset = self._plain.append(partition, log, kept, fields, correlation_id)
        if base_offset is None:
            return None
        if not self._acks:
            return b""
        return self._pack(
            self._answer_bytes, correlation_id, self._answer_head, index, 0, base_offset, -1,
            log.log_start_offset, self._answer_tail,
        )  # fmt: skip

    # Remembering.

    def _miss(self, data: bytes | bytearray, start: int, stop: int) -> None:
        """Learn from a frame that is not what was expected; now and then, where it is in vain."""
        self._misses += 1
        if self._misses <= _IMPATIENT_UNTIL or self._misses % _REMEMBER_EVERY == 0:
            self._remember(bytes(data[start:stop]))

    def _remember(self, frame: bytes) -> None:
        version = int.from_bytes(frame[2:4], "big")
        if version not in self._versions:
            return
        header_version = request_header_version(ApiKey.PRODUCE, version)
        try:
            header, position = decode_prefix(RequestHeader, header_version, frame)
            request = decode(ProduceRequest, version, frame, position)
        except DecodeError:
            return
        # Written again it must be the same bytes: no tags, no lengths of an odd form.
        if encode(header, header_version) + encode(request, version) == frame:
            self._expect(frame, header, request)

    def _expect(self, frame: bytes, header: RequestHeader, request: ProduceRequest) -> None:
        version = header.request_api_version
        if request.acks not in (-1, 0, 1):
            return
        if len(request.topic_data) != 1 or len(request.topic_data[0].partition_data) != 1:
            return
        asked = request.topic_data[0]
        records = asked.partition_data[0].records
        topics = self._topics
        by_id = version >= FIRST_WITH_TOPIC_ID
        topic = topics.by_id(asked.topic_id) if by_id else topics.get(asked.name)
        if records is None or topic is None or topic.is_internal:
            return
        self._is_flexible = version >= FIRST_FLEXIBLE
        tail_bytes = len(_TAGS) if self._is_flexible else 0
        room = frame[: len(frame) - tail_bytes - len(records)]
        length = (
            write_uvarint(len(records) + 1)
            if self._is_flexible
            else struct.pack(">i", len(records))
        )
        self._topic = topic
        self._acks = request.acks
        self._sender = Sender(
            self._broker_id,
            self._connection_id,
            header.client_id,
            version,
            request.acks,
            request.transactional_id,
            topic.name,
        )
        self._plain = PlainAppend(self._service, self._sender)
        self._revision = topics.revision
        self._key_and_version = frame[:_CORRELATION_AT]
        self._prefix = room[_PREFIX_AT : len(room) - len(length) - _INDEX_BYTES]
        self._shapes.clear()
        self._targets.clear()
        self._prepare_answer(version, asked.topic_id.bytes if by_id else asked.name.encode())

    def _prepare_answer(self, version: int, topic: bytes) -> None:
        if self._is_flexible:
            named = (
                topic if version >= FIRST_WITH_TOPIC_ID else write_uvarint(len(topic) + 1) + topic
            )
            self._answer_head = b"\x00\x02" + named + b"\x02"
            self._answer_tail = b"\x01\x00\x00\x00" + bytes(5)
        else:
            one = struct.pack(">i", 1)
            self._answer_head = one + struct.pack(">h", len(topic)) + topic + one
            no_errors = struct.pack(">ih", 0, -1) if version >= FIRST_WITH_RECORD_ERRORS else b""
            self._answer_tail = no_errors + bytes(4)
        layout = struct.Struct(f">ii{len(self._answer_head)}sihqqq{len(self._answer_tail)}s")
        self._answer_bytes = layout.size - 4
        self._pack = layout.pack

    def _new_shape(self, data: bytes | bytearray, start: int, stop: int) -> _Shape | None:
        """Work out a frame of another size, or learn anew where the topics have changed."""
        frame_bytes = stop - start
        least = _PREFIX_AT + len(self._prefix) + _INDEX_BYTES + HEADER_BYTES + 4 + len(_TAGS)
        if self._topic is None or frame_bytes < least or self._topics.revision != self._revision:
            self._miss(data, start, stop)
            return None
        if len(self._shapes) >= _SHAPES_KEPT:
            self._shapes.clear()
        shape = _Shape(frame_bytes, len(self._prefix), is_flexible=self._is_flexible)
        self._shapes[frame_bytes] = shape
        return shape

    def _new_target(self, index: int) -> _Target | None:
        """Find a partition that this broker leads and that keeps batches as they come."""
        assert self._topic is not None
        partition = self._topic.partition(index)
        if partition is None or partition.leader_id != self._broker_id:
            return None
        rules = self._service.batch_rules_of(partition)
        if (
            rules.is_compacted
            or rules.timestamp_type is not TimestampType.CREATE_TIME
            or partition.config.compression_type != PRODUCER_COMPRESSION
            or not partition.config.has_newest_format
            or (self._acks < 0 and not self._is_replicated_at_once(partition))
        ):
            return None
        target = self._targets[index] = _Target(partition, rules)
        return target

    def _is_replicated_at_once(self, partition: Partition) -> bool:
        options = self._service.cluster.options
        follow = partition.log is None or partition.log.follows_log_end
        return follow and has_enough_replicas(options, partition)


def narrow_path_for(service: Service, broker_id: int, connection_id: int = 0) -> ProducePath:
    """Give a connection its narrow way; where the broker serves no Produce, nothing goes there."""
    route = service.routes.get(ApiKey.PRODUCE)
    versions = range(0) if route is None else route.versions
    return ProducePath(service, broker_id, versions, connection_id)
