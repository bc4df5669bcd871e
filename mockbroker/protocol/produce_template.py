"""Template for Produce requests that differ only in correlation id, partition and batch.

Almost all Produce requests of almost all clients have one topic and one partition, and consecutive
ones on a connection differ only in these three. The layouts of requests and responses are derived
from the codec's output.
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
_LENGTH_BYTES_MAX: Final = 5

Fields: TypeAlias = tuple[int, int, int, int, int, int, int, int, int, int, int, int, int]
"""The fields of a batch header, in wire order (`header_fields`)."""

ReadProduce: TypeAlias = tuple[int, int, int, int, Fields]
"""Correlation id, partition, start and end of the batch, and the fields of its header."""


class _NotCommon(Exception):  # noqa: N818 - an outcome
    """Raised for a request that has no template."""


def _one(count: int) -> range:
    """Return the index of an array's only element; tags and further elements are not common."""
    if count > 1:
        raise _NotCommon
    return range(count)


class ProduceTemplate:
    """Template of a request with one topic and one partition, which parses similar requests."""

    __slots__ = (
        "_answer",
        "_between",
        "_front",
        "_has_compact_length",
        "_least_bytes",
        "_numbers_bytes",
        "_tail",
        "_tail_bytes",
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
        self._between = between
        least, other = write(records=b"\x00"), write(records=b"\xff")
        self._tail = least[difference(least, other).stop :]
        """What follows the records: the tagged fields of newer versions."""
        length = _records_length(header.request_api_version)
        self._has_compact_length = len(length.write(0)) == 1
        numbers = struct.Struct(f">{len(self._front)}si{len(between)}si")
        self._unpack_numbers: Callable[[bytes, int], tuple[bytes, int, bytes, int]]
        self._unpack_numbers = numbers.unpack_from
        self.head_bytes = numbers.size + _LENGTH_BYTES_MAX + HEADER_BYTES
        """Upper limit of the size of what precedes the records."""
        self._numbers_bytes = numbers.size
        self._tail_bytes = len(self._tail)
        self._least_bytes = numbers.size + 1 + HEADER_BYTES + self._tail_bytes
        (topic,) = request.topic_data
        self._answer = _answer_writer(header.request_api_version, topic.name, topic.topic_id)

    def read(self, head: bytes, start: "i64", size: "i64") -> ReadProduce | None:
        """Parse the start of the request `head[start:]`, whose size is `size` bytes.

        `head` has the whole request, or its first `head_bytes`. Return None if it does not match
        the template. `matches_end` is to be checked as well.
        """
        at: i64 = start + self._numbers_bytes
        if size < self._least_bytes:
            return None
        front, correlation_id, between, index = self._unpack_numbers(head, start)
        if front != self._front or between != self._between:
            return None
        length: i64 = 0
        if self._has_compact_length:
            shift: i64 = 0
            byte: i64 = 128
            while byte > 127 and shift < 35:
                byte = head[at]
                at += 1
                length |= (byte & 0x7F) << shift
                shift += 7
            length -= 1
        else:
            length = head[at] << 24 | head[at + 1] << 16 | head[at + 2] << 8 | head[at + 3]
            at += 4
        if length < HEADER_BYTES or at + length + self._tail_bytes != start + size:
            return None
        fields: Fields = HEADER.unpack_from(head, at)
        return correlation_id, index, at, at + length, fields

    def matches_end(self, end: bytes | bytearray) -> bool:
        """Return True if a request that `read` has parsed may end with these bytes."""
        return end == self._tail

    def answer(
        self, correlation_id: int, index: int, base_offset: int, log_start_offset: int
    ) -> bytes:
        """Encode the response to a request whose batch was appended, with the frame size."""
        pack, (front, after_id, after_index, after_offset, tail) = self._answer
        return pack(
            front, correlation_id, after_id, index, after_index, base_offset, after_offset,
            log_start_offset, tail,
        )  # fmt: skip


def learn(frame: bytes, versions: range) -> ProduceTemplate | None:
    """Build the template of a request; None for other versions, or if it is not common-case."""
    try:
        _, version = read_api_key_and_version(frame)
        if version not in versions or version < FIRST_WITH_LOG_START:
            return None
        header_version = request_header_version(ApiKey.PRODUCE, version)
        header, position = decode_prefix(RequestHeader, header_version, frame, 0, _one)
        request = decode(ProduceRequest, version, frame, position, _one)
    except (DecodeError, _NotCommon):
        return None
    if len(request.topic_data) != 1 or len(request.topic_data[0].partition_data) != 1:
        return None
    (data,) = request.topic_data[0].partition_data
    # Written again it must be the same bytes: no tags, no lengths of an odd form.
    is_regular = encode(header, header_version) + encode(request, version) == frame
    if data.records is None or not is_regular:
        return None
    data.records = None  # they are a view of the frame, which may be large
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


@lru_cache(_ANSWERS_REMEMBERED)
def _answer_writer(
    version: int, topic: str, topic_id: Uuid
) -> tuple[Callable[..., bytes], tuple[bytes, ...]]:
    """Return a response's pack function, and the constants around its numbers."""
    header_version = response_header_version(ApiKey.PRODUCE, version)

    def write(correlation_id: int, index: int, base_offset: int, log_start_offset: int) -> bytes:
        answered = PartitionProduceResponse(
            index=index, base_offset=base_offset, log_start_offset=log_start_offset
        )
        responses = [
            TopicProduceResponse(name=topic, topic_id=topic_id, partition_responses=[answered])
        ]
        header = ResponseHeader(correlation_id=correlation_id)
        response = ProduceResponse(responses=responses)
        return sized(encode(header, header_version) + encode(response, version))

    numbers = ("correlation_id", "index", "base_offset", "log_start_offset")
    layout = FixedLayout(write, numbers)
    return struct.Struct(layout.layout).pack, layout.constants
