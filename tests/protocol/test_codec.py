"""Encode, decode and their errors; tests over all messages are in `messages/test_*.py`."""

import subprocess
import sys
import uuid
from collections.abc import Iterable

import pytest

from mockbroker.protocol.codec import decode, decode_prefix, decoder, dump, encode, encoder, explain
from mockbroker.protocol.dump.decode import declared_api_keys
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.messages import request_type, response_type
from mockbroker.protocol.messages.api_versions import ApiVersionsRequest
from mockbroker.protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestTopic
from mockbroker.protocol.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from mockbroker.protocol.messages.streams_group_heartbeat import (
    StreamsGroupHeartbeatRequest,
    Topology,
)
from mockbroker.protocol.types import Buffer

PARTITION = PartitionProduceData(index=3, records=b"batches")
REQUEST = ProduceRequest(
    acks=-1, timeout_ms=1_500, topic_data=[TopicProduceData(name="t", partition_data=[PARTITION])]
)
DATA = encode(REQUEST, 9)


@pytest.mark.parametrize("buffer", [DATA, bytearray(DATA), memoryview(DATA)])
def test_a_message_is_read_from_any_buffer(buffer: bytes | bytearray | memoryview) -> None:
    assert decode(ProduceRequest, 9, buffer) == REQUEST


def test_a_message_is_read_from_a_position_on() -> None:
    assert decode(ProduceRequest, 9, b"header" + DATA, 6) == REQUEST


def test_a_message_takes_all_of_the_buffer() -> None:
    with pytest.raises(DecodeError, match="message: 2 bytes are left over after the last field"):
        decode(ProduceRequest, 9, DATA + b"\0\0")


def test_a_refusal_names_the_field() -> None:
    with pytest.raises(DecodeError) as refused:
        decode(ProduceRequest, 9, b"header" + DATA[:-6], 6)
    assert refused.value.path == "topic_data[0].partition_data[0].records"
    assert refused.value.why == "7 bytes wanted, 4 left"
    assert refused.value.__cause__ is None


def test_a_prefix_is_read_up_to_its_own_end() -> None:
    assert decode_prefix(ProduceRequest, 9, DATA + b"more") == (REQUEST, len(DATA))


@pytest.mark.parametrize("cut", [1, len(DATA) - 6, len(DATA)])
def test_a_prefix_that_is_cut_short_is_refused(cut: int) -> None:
    with pytest.raises(DecodeError):
        decode_prefix(ProduceRequest, 9, DATA[:-cut])


def test_a_prefix_whose_last_field_is_cut_short_is_refused() -> None:
    data = encode(REQUEST, 3)
    with pytest.raises(DecodeError, match="7 bytes wanted, 5 left"):
        decode_prefix(ProduceRequest, 3, data[:-2])


def test_a_topic_id_is_read_and_written() -> None:
    topic = TopicProduceData(topic_id=uuid.UUID(int=1), partition_data=[PARTITION])
    request = ProduceRequest(topic_data=[topic])
    assert decode(ProduceRequest, 13, encode(request, 13)) == request


@pytest.mark.parametrize("topology", [None, Topology(epoch=4)])
def test_a_struct_may_be_null(topology: Topology | None) -> None:
    request = StreamsGroupHeartbeatRequest(topology=topology)
    data = encode(request, 0)
    assert decode(StreamsGroupHeartbeatRequest, 0, data) == request


def test_a_codec_is_compiled_once() -> None:
    assert decoder(ProduceRequest, 9) is decoder(ProduceRequest, 9)
    assert encoder(ProduceRequest, 9) is encoder(ProduceRequest, 9)


def test_an_undeclared_version_fails_an_assertion() -> None:
    with pytest.raises(AssertionError):
        decode(ProduceRequest, 99, DATA)


def test_valid_bytes_have_no_explanation() -> None:
    with pytest.raises(AssertionError):
        explain(ProduceRequest, 9, DATA)


def test_a_dump_gives_the_message_or_the_refusal() -> None:
    spans, value = dump(ProduceRequest, 9, DATA)
    assert value == REQUEST
    assert spans[0].path == "transactional_id"
    _, error = dump(ProduceRequest, 9, DATA[:-1])
    assert isinstance(error, DecodeError)
    assert error.path == "tags"


def test_elements_are_decoded_and_encoded_as_the_caller_yields_them() -> None:
    request = OffsetFetchRequest(
        group_id="g",
        topics=[OffsetFetchRequestTopic(name=name, partition_indexes=[7, 8, 9]) for name in "ab"],
    )
    counts: list[int] = []

    def counted(count: int) -> range:
        counts.append(count)
        return range(count)

    data = encode(request, 1)
    assert decode(OffsetFetchRequest, 1, data, paced=counted) == request
    assert counts == [2, 3, 3]
    parts: list[Buffer] = []
    seen: list[object] = []

    def noted(items: Iterable[object]) -> Iterable[object]:
        seen.extend(items)
        return items

    encoder(OffsetFetchRequest, 1)(request, parts.append, noted)
    assert b"".join(parts) == data
    assert request.topics is not None
    assert seen == [*request.topics, 7, 8, 9, 7, 8, 9]


def test_tagged_fields_are_counted_too() -> None:
    counts: list[int] = []

    def counted(count: int) -> range:
        counts.append(count)
        return range(count)

    data = encode(ApiVersionsRequest(), 3)
    decode_prefix(ApiVersionsRequest, 3, data[:-1] + b"\x02\x63\x00\x63\x00", 0, counted)
    assert counts == [2]


def test_every_api_is_found_by_its_key() -> None:
    keys = list(declared_api_keys())
    assert keys == sorted(keys)
    for key in keys:
        assert request_type(key).API is response_type(key).API is key


def test_reading_and_writing_does_not_import_construct() -> None:
    program = (
        "import sys\n"
        "from mockbroker.protocol.codec import decode, encode\n"
        "from mockbroker.protocol.messages.produce import ProduceRequest\n"
        "decode(ProduceRequest, 9, encode(ProduceRequest(), 9))\n"
        "sys.exit('construct' in sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
