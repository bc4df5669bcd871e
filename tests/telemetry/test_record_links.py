"""Links to the traces in the headers of records."""

import pytest
from opentelemetry.trace import Link

from mockbroker.protocol.messages.fetch import FetchableTopicResponse, FetchResponse, PartitionData
from mockbroker.protocol.messages.metadata import MetadataRequest
from mockbroker.protocol.messages.share_fetch import (
    PartitionData as SharePartitionData,
)
from mockbroker.protocol.messages.share_fetch import (
    ShareFetchableTopicResponse,
    ShareFetchResponse,
)
from mockbroker.protocol.records.batch import build_batch
from mockbroker.protocol.records.record import Header, Record
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.types import Buffer, BufferChain, Compression
from mockbroker.telemetry.record_links import LINKS_MAX, links_of
from tests.support.requests import produce


def traceparent(number: int) -> Header:
    return ("traceparent", b"00-%032x-%016x-01" % (number, number))


def batch(*several: tuple[Header, ...], compression: Compression = Compression.NONE) -> bytes:
    records = [Record(key=b"key", value=b"value", headers=headers) for headers in several]
    return bytes(build_batch(records, compression=compression))


def ids(links: list[Link]) -> list[int]:
    return [link.context.trace_id for link in links]


def fetched(records: Buffer | BufferChain) -> Message:
    data = PartitionData(partition_index=0, records=records)
    return FetchResponse(responses=[FetchableTopicResponse(topic="orders", partitions=[data])])


def acquired(records: Buffer | BufferChain) -> Message:
    data = SharePartitionData(partition_index=0, records=records)
    return ShareFetchResponse(responses=[ShareFetchableTopicResponse(partitions=[data])])


@pytest.mark.parametrize("compression", list(Compression))
def test_each_trace_is_linked_once(compression: Compression) -> None:
    records = batch(
        (traceparent(1),), (), (traceparent(2),), (traceparent(1),), compression=compression
    )
    assert ids(links_of(produce(records=records))) == [1, 2]


def test_what_consumers_get_is_linked_too() -> None:
    chain = BufferChain([batch((traceparent(1),)), memoryview(batch((traceparent(2),)))], 0)
    assert ids(links_of(fetched(chain))) == [1, 2]
    assert ids(links_of(acquired(batch((traceparent(3),))))) == [3]


def test_the_state_of_a_trace_comes_along() -> None:
    (link,) = links_of(produce(records=batch((traceparent(1), ("tracestate", b"vendor=7")))))
    assert link.context.trace_state.get("vendor") == "7"


@pytest.mark.parametrize(
    "header", [("traceparent", b"\xff"), ("traceparent", None), ("b3", b"1-1-1")]
)
def test_another_header_is_no_link(header: Header) -> None:
    assert links_of(produce(records=batch((header,)))) == []


@pytest.mark.parametrize("records", [b"", b"traceparent", bytes(80), batch((traceparent(1),))[:-9]])
def test_bytes_that_are_no_batch_are_no_link(records: bytes) -> None:
    assert links_of(produce(records=records)) == []
    assert links_of(fetched(records)) == []


def test_corrupt_compressed_records_are_no_link() -> None:
    records = bytearray(batch((traceparent(1),), compression=Compression.GZIP))
    records[61:] = bytes(len(records) - 61)
    assert links_of(produce(records=bytes(records))) == []


def test_links_are_limited() -> None:
    records = batch(*((traceparent(number),) for number in range(1, LINKS_MAX + 9)))
    assert ids(links_of(produce(records=records))) == list(range(1, LINKS_MAX + 1))


def test_other_messages_have_no_links() -> None:
    assert links_of(MetadataRequest()) == []
