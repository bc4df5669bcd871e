"""Links to the traces that clients began: records carry them in a header (W3C Trace Context)."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Final, TypeAlias

from opentelemetry.context import Context
from opentelemetry.trace import Link, get_current_span
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.messages.fetch import FetchResponse
from mockbroker.protocol.messages.produce import ProduceRequest
from mockbroker.protocol.messages.share_fetch import ShareFetchResponse
from mockbroker.protocol.records.batch import (
    HEADER_BYTES,
    MAGIC_AT,
    MAGIC_V2,
    batch_spans,
    parse_batch_header,
    records_of,
)
from mockbroker.protocol.records.record import Record
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.types import Buffer, BufferChain, Compression

LINKS_MAX: Final = 32
"""Links of a span: what carries more traces than this is no request that somebody looks at."""
RECORDS_MAX: Final = 1_000
"""Records of a request that are read for their headers."""
_READ_BYTES_MAX: Final = 8 << 20
_TRACEPARENT: Final = "traceparent"
_CARRIED: Final = frozenset({_TRACEPARENT, "tracestate"})
_HEADER_KEY: Final = _TRACEPARENT.encode()
_PROPAGATOR: Final = TraceContextTextMapPropagator()
_ROOT: Final = Context()

_Records: TypeAlias = Buffer | BufferChain | None


def links_of(message: Message) -> list[Link]:
    """Return links to the traces in the records of a Produce request, or a response to a fetch."""
    found: dict[tuple[int, int], Link] = {}
    records = _headers_in(_buffers(_records_in(message)))
    for headers in islice(records, RECORDS_MAX):
        link = _link(headers)
        if link is not None:
            found.setdefault((link.context.trace_id, link.context.span_id), link)
        if len(found) == LINKS_MAX:
            break
    return list(found.values())


def _records_in(message: Message) -> Iterator[_Records]:
    if isinstance(message, ProduceRequest):
        for produced in message.topic_data:
            yield from (each.records for each in produced.partition_data)
    elif isinstance(message, FetchResponse):
        for fetched in message.responses:
            yield from (each.records for each in fetched.partitions)
    elif isinstance(message, ShareFetchResponse):
        for acquired in message.responses:
            yield from (each.records for each in acquired.partitions)


def _buffers(several: Iterable[_Records]) -> Iterator[Buffer]:
    for records in several:
        if isinstance(records, BufferChain):
            yield from records.buffers
        elif records is not None:
            yield records


def _headers_in(buffers: Iterable[Buffer]) -> Iterator[dict[str, str]]:
    """Yield the headers of each record that are of a trace; bytes that are no batch have none."""
    for buffer in buffers:
        with suppress(DecodeError):
            for start in _readable(buffer):
                yield from map(_carried, records_of(buffer, start, limit_bytes=_READ_BYTES_MAX))


def _readable(buffer: Buffer) -> Iterator[int]:
    """Yield the start of each batch of which a record may be in a trace."""
    for start, end in batch_spans(buffer):
        if _may_carry(buffer, start, end):
            yield start


def _may_carry(buffer: Buffer, start: int, end: int) -> bool:
    """Return False if the bytes of a batch show that no record is in a trace."""
    if end - start < HEADER_BYTES or buffer[start + MAGIC_AT] != MAGIC_V2:
        return False  # messages of older formats have no headers
    header = parse_batch_header(buffer, start)
    is_readable = header.compression != Compression.NONE
    return is_readable or _HEADER_KEY in bytes(memoryview(buffer)[start:end])


def _carried(record: Record) -> dict[str, str]:
    return {
        key: value.decode("latin-1")
        for key, value in record.headers
        if value is not None and key in _CARRIED
    }


def _link(headers: dict[str, str]) -> Link | None:
    if _TRACEPARENT not in headers:
        return None
    context = get_current_span(_PROPAGATOR.extract(headers, _ROOT)).get_span_context()
    return Link(context) if context.is_valid else None
