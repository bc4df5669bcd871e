"""Template for Produce requests that differ only in correlation id, partitions and batches.

Almost all Produce requests of almost all clients have one topic, and consecutive ones on a
connection differ only in these. The layouts of requests and responses are derived from the codec's
output.
"""

import struct
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.codec import decode, decode_prefix, encode, message_tree
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.framing import sized
from mockbroker.protocol.headers import (
    RequestHeader,
    ResponseHeader,
    read_api_key_and_version,
    request_header_version,
    response_header_version,
)
from mockbroker.protocol.messages.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
    TopicProduceResponse,
)
from mockbroker.protocol.records.batch import HEADER, HEADER_BYTES
from mockbroker.protocol.schema.composites import ArrayNode, StructNode
from mockbroker.protocol.schema.fixed_layout import FixedLayout, difference
from mockbroker.protocol.schema.primitives import Length, Node, RecordsNode
from mockbroker.protocol.types import Uuid

if TYPE_CHECKING:
    from mypy_extensions import i64

FIRST_WITH_LOG_START: Final = 5
"""Responses of earlier versions have fewer numbers."""
_ANSWERS_REMEMBERED: Final = 1024
_pack_i32: Final = struct.Struct(">i").pack
_LENGTH_BYTES_MAX: Final = 5
_INDEX_BYTES: Final = 4
_OFFSET_BYTES: Final = 8
_PARTITIONS_MAX: Final = 126
"""Partitions of a request: a compact count of them has one byte."""
ENTRY_HEAD_BYTES: Final = _INDEX_BYTES + _LENGTH_BYTES_MAX + HEADER_BYTES
"""Upper limit of the size of what precedes the records of a partition."""
_ENTRY_LEAST_BYTES: Final = _INDEX_BYTES + 1 + HEADER_BYTES

Fields: TypeAlias = tuple[int, int, int, int, int, int, int, int, int, int, int, int, int]
"""The fields of a batch header, in wire order (`header_fields`)."""

ReadFront: TypeAlias = tuple[int, int, int]
"""Correlation id, number of partitions, and the position of the first one."""

ReadPartition: TypeAlias = tuple[int, int, int, Fields]
"""Partition, start and end of the batch, and the fields of its header."""

Appended: TypeAlias = tuple[int, int, int]
"""Partition, base offset and log start offset of the response."""


class _NotCommon(Exception):  # noqa: N818 - an outcome
    """Raised for a request that has no template."""


def _few(count: int) -> range:
    """Return the indexes of a short array; the others are not common."""
    if count > _PARTITIONS_MAX:
        raise _NotCommon
    return range(count)


class ProduceTemplate:
    """Template of a request with one topic, which parses similar requests."""

    __slots__ = (
        "_after_partition",
        "_answer",
        "_between",
        "_end",
        "_front",
        "_is_compact",
        "_numbers_bytes",
        "_unpack_numbers",
        "head_bytes",
        "header",
        "request",
    )

    def __init__(self, header: RequestHeader, request: ProduceRequest) -> None:
        """Derive the positions of the numbers in a request."""
        self.header = header
        self.request = request
        write = _request_writer(header, request)
        self._front, between, _ = FixedLayout(write, ("correlation_id", "index")).constants
        self._is_compact = len(_records_length(header.request_api_version).write(0)) == 1
        count_bytes = 1 if self._is_compact else 4
        self._between = between[:-count_bytes]
        least, other = write(records=b"\x00"), write(records=b"\xff")
        self._end = least[difference(least, other).stop :]
        """What follows the records of the last partition: tagged fields, in newer versions."""
        self._after_partition = self._end[: 1 if self._is_compact else 0]
        numbers = struct.Struct(f">{len(self._front)}si{len(self._between)}s")
        self._unpack_numbers: Callable[[bytes, int], tuple[bytes, int, bytes]]
        self._unpack_numbers = numbers.unpack_from
        self._numbers_bytes = numbers.size
        self.head_bytes = numbers.size + count_bytes + ENTRY_HEAD_BYTES
        """Upper limit of the size of what precedes the records of the first partition."""
        (topic,) = request.topic_data
        self._answer = _answer_writer(header.request_api_version, topic.name, topic.topic_id)

    def read_front(self, head: bytes, start: "i64", size: "i64") -> ReadFront | None:
        """Parse a request of `size` bytes up to its first partition; None for another request.

        `head[start:]` has the whole request, or its first `head_bytes`.
        """
        at: i64 = start + self._numbers_bytes
        if size < self.head_bytes - (_LENGTH_BYTES_MAX - 1):
            return None
        front, correlation_id, between = self._unpack_numbers(head, start)
        if front != self._front or between != self._between:
            return None
        count: i64
        if self._is_compact:
            count = head[at] - 1
            at += 1
        else:
            count = head[at] << 24 | head[at + 1] << 16 | head[at + 2] << 8 | head[at + 3]
            at += 4
        if count < 1 or count > _PARTITIONS_MAX:
            return None
        return correlation_id, count, at

    def read_partition(
        self, head: bytes, at: "i64", head_from: "i64", stop: "i64"
    ) -> ReadPartition | None:
        """Parse the entry of a partition at a position of a request that ends at `stop`.

        `head` has the request's bytes from the position `head_from` on, at least
        `ENTRY_HEAD_BYTES` of the entry. Return None for a batch that does not fit.
        """
        if at + _ENTRY_LEAST_BYTES > stop:
            return None
        pos: i64 = at - head_from
        index: i64 = head[pos] << 24 | head[pos + 1] << 16 | head[pos + 2] << 8 | head[pos + 3]
        pos += _INDEX_BYTES
        length: i64 = 0
        if self._is_compact:
            shift: i64 = 0
            byte: i64 = 128
            while byte > 127 and shift < 35:
                byte = head[pos]
                pos += 1
                length |= (byte & 0x7F) << shift
                shift += 7
            length -= 1
        else:
            length = head[pos] << 24 | head[pos + 1] << 16 | head[pos + 2] << 8 | head[pos + 3]
            pos += 4
        start: i64 = pos + head_from
        if length < HEADER_BYTES or start + length > stop:
            return None
        fields: Fields = HEADER.unpack_from(head, pos)
        return index, start, start + length, fields

    def matches_end(self, end: bytes | bytearray) -> bool:
        """Return True if a request may end with these bytes after its last batch."""
        return end == self._end

    def position_after(self, data: bytes | bytearray, end: int) -> int:
        """Return the position after a partition whose batch ends at `end`; -1 for other bytes."""
        after = end + len(self._after_partition)
        return after if data[end:after] == self._after_partition else -1

    def answer(
        self, correlation_id: int, index: int, base_offset: int, log_start_offset: int
    ) -> bytes:
        """Encode the response to a request whose batch was appended, with the frame size."""
        front, after_id, after_index, after_offset, tail = self._answer.constants
        return self._answer.pack(
            front, correlation_id, after_id, index, after_index, base_offset, after_offset,
            log_start_offset, tail,
        )  # fmt: skip

    def answer_several(self, correlation_id: int, appended: list[Appended]) -> bytes:
        """Encode the response to a request whose batches were appended, with the frame size."""
        return self._answer.of_several(correlation_id, appended)


def learn(frame: bytes, versions: range) -> ProduceTemplate | None:
    """Build the template of a request; None for other versions, or if it is not common-case."""
    try:
        _, version = read_api_key_and_version(frame)
        if version not in versions or version < FIRST_WITH_LOG_START:
            return None
        header_version = request_header_version(ApiKey.PRODUCE, version)
        header, position = decode_prefix(RequestHeader, header_version, frame, 0, _few)
        request = decode(ProduceRequest, version, frame, position, _few)
    except (DecodeError, _NotCommon):
        return None
    if len(request.topic_data) != 1 or not request.topic_data[0].partition_data:
        return None
    # Written again it must be the same bytes: no tags, no lengths of an odd form.
    is_regular = encode(header, header_version) + encode(request, version) == frame
    if not is_regular or any(data.records is None for data in request.topic_data[0].partition_data):
        return None
    request.topic_data[0].partition_data = []  # views of the frame, which may be large
    return ProduceTemplate(header, request)


def _records_length(version: int) -> Length:
    """Return the encoding of the records' length in a version of the request."""
    node: Node = message_tree(ProduceRequest, version)
    for name in ("topic_data", "partition_data", "records"):
        struct_node = node.element if isinstance(node, ArrayNode) else node
        assert isinstance(struct_node, StructNode), struct_node
        node = next(inner for member, inner in struct_node.untagged if member.name == name)
    assert isinstance(node, RecordsNode), node
    return node.length


def _request_writer(header: RequestHeader, request: ProduceRequest) -> Callable[..., bytes]:
    version = header.request_api_version
    header_version = request_header_version(ApiKey.PRODUCE, version)
    (topic,) = request.topic_data

    def write(correlation_id: int = 0, index: int = 0, records: bytes = b"") -> bytes:
        other_header = RequestHeader(
            request_api_key=ApiKey.PRODUCE,
            request_api_version=version,
            correlation_id=correlation_id,
            client_id=header.client_id,
        )
        data = PartitionProduceData(index=index, records=records)
        other = ProduceRequest(
            transactional_id=request.transactional_id,
            acks=request.acks,
            timeout_ms=request.timeout_ms,
            topic_data=[
                TopicProduceData(name=topic.name, topic_id=topic.topic_id, partition_data=[data])
            ],
        )
        return encode(other_header, header_version) + encode(other, version)

    return write


class _AnswerLayout:
    """Layout of the responses to requests for one topic."""

    __slots__ = ("_between", "_compact", "_end", "_entry", "_entry_tail", "constants", "pack")

    def __init__(self, write: Callable[..., bytes]) -> None:
        """Derive it from a function that encodes the response for one or several partitions."""
        layout = FixedLayout(write, ("correlation_id", "index", "base_offset", "log_start_offset"))
        self.constants = layout.constants
        self.pack: Callable[..., bytes] = struct.Struct(layout.layout).pack
        _, after_id, after_index, after_offset, tail = layout.constants
        one, two = write(), write(times=2)
        numbers_bytes = _INDEX_BYTES + 2 * _OFFSET_BYTES
        tail_bytes = len(two) - len(one) - numbers_bytes - len(after_index) - len(after_offset)
        self._entry_tail, self._end = tail[:tail_bytes], tail[tail_bytes:]
        self._entry: Callable[..., bytes] = struct.Struct(
            f">i{len(after_index)}sq{len(after_offset)}sq{tail_bytes}s"
        ).pack
        self._compact = after_id[-4:] != _pack_i32(1)
        self._between = after_id[: -1 if self._compact else -4]

    def of_several(self, correlation_id: int, appended: list[Appended]) -> bytes:
        """Encode the response for several partitions, with the frame size."""
        count = len(appended)
        _, _, after_index, after_offset, _ = self.constants
        parts = [
            _pack_i32(correlation_id),
            self._between,
            bytes((count + 1,)) if self._compact else _pack_i32(count),
        ]
        for index, base_offset, log_start_offset in appended:
            parts.append(
                self._entry(
                    index, after_index, base_offset, after_offset, log_start_offset,
                    self._entry_tail,
                )
            )  # fmt: skip
        parts.append(self._end)
        return sized(b"".join(parts))


@lru_cache(_ANSWERS_REMEMBERED)
def _answer_writer(version: int, topic: str, topic_id: Uuid) -> _AnswerLayout:
    """Return the layout of the responses for a topic."""
    header_version = response_header_version(ApiKey.PRODUCE, version)

    def write(
        correlation_id: int = 0,
        index: int = 0,
        base_offset: int = 0,
        log_start_offset: int = 0,
        times: int = 1,
    ) -> bytes:
        answered = PartitionProduceResponse(
            index=index, base_offset=base_offset, log_start_offset=log_start_offset
        )
        responses = [
            TopicProduceResponse(
                name=topic, topic_id=topic_id, partition_responses=[answered] * times
            )
        ]
        header = ResponseHeader(correlation_id=correlation_id)
        response = ProduceResponse(responses=responses)
        return sized(encode(header, header_version) + encode(response, version))

    return _AnswerLayout(write)
