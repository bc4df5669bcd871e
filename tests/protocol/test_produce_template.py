"""Templates of Produce requests: they read and write what the codec does, in every version."""

import pytest

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.codec import encode
from mockbroker.protocol.framing import sized
from mockbroker.protocol.headers import (
    RequestHeader,
    ResponseHeader,
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
from mockbroker.protocol.produce_template import (
    ENTRY_HEAD_BYTES,
    Fields,
    ProduceTemplate,
    learn,
)
from mockbroker.protocol.records.batch import HEADER, build_batch
from mockbroker.protocol.records.record import Record
from mockbroker.protocol.types import ZERO_UUID, Uuid

VERSIONS = range(3, 14)
TOPIC_ID = Uuid(int=7)


def batch_of(value: bytes) -> bytes:
    return build_batch([Record(value=value, timestamp=1_000)])


def topic_of(version: int) -> tuple[str, Uuid]:
    return ("", TOPIC_ID) if version >= 13 else ("orders", ZERO_UUID)


def frame_of(
    version: int,
    records: bytes | None,
    correlation_id: int = 1,
    *,
    index: int = 0,
    acks: int = -1,
    times: int = 1,
) -> bytes:
    header = RequestHeader(
        request_api_key=ApiKey.PRODUCE,
        request_api_version=version,
        correlation_id=correlation_id,
        client_id="me",
    )
    name, topic_id = topic_of(version)
    data = [PartitionProduceData(index=index, records=records)] * times
    topics = [TopicProduceData(name=name, topic_id=topic_id, partition_data=data)]
    request = ProduceRequest(acks=acks, timeout_ms=30, topic_data=topics)
    header_version = request_header_version(ApiKey.PRODUCE, version)
    return encode(header, header_version) + encode(request, version)


def answer_of(
    version: int, correlation_id: int, index: int, base_offset: int, start: int, *, times: int = 1
) -> bytes:
    name, topic_id = topic_of(version)
    answered = PartitionProduceResponse(
        index=index, base_offset=base_offset, log_start_offset=start
    )
    responses = [
        TopicProduceResponse(name=name, topic_id=topic_id, partition_responses=[answered] * times)
    ]
    header_version = response_header_version(ApiKey.PRODUCE, version)
    header = encode(ResponseHeader(correlation_id=correlation_id), header_version)
    return sized(header + encode(ProduceResponse(responses=responses), version))


def learned(version: int, value: bytes = b"value") -> ProduceTemplate:
    template = learn(frame_of(version, batch_of(value)), VERSIONS)
    assert template is not None
    return template


def read_by(
    template: ProduceTemplate, data: bytes | bytearray, start: int, stop: int
) -> tuple[int, int, int, int, Fields] | None:
    """Read a request for one partition."""
    front = template.read_front(bytes(data), start, stop - start)
    if front is None or front[1] != 1:
        return None
    read = template.read_partition(bytes(data), front[2], 0, stop)
    if read is None or not template.matches_end(data[read[2] : stop]):
        return None
    return front[0], *read


@pytest.mark.parametrize("version", range(5, 14))
@pytest.mark.parametrize("size_bytes", [0, 5, 40, 60, 100, 5_000, 16_300, 20_000, 2_200_000])
def test_requests_of_every_size_are_read(version: int, size_bytes: int) -> None:
    template = learned(version)
    batch = batch_of(bytes(size_bytes))
    frame = frame_of(version, batch, -3, index=2)
    read = read_by(template, b"??" + frame + b"??", 2, 2 + len(frame))
    assert read is not None
    correlation_id, index, start, end, fields = read
    assert (correlation_id, index) == (-3, 2)
    assert (b"??" + frame)[start:end] == batch
    assert tuple(fields) == HEADER.unpack_from(batch)


@pytest.mark.parametrize("version", range(5, 14))
def test_answers_are_those_of_the_codec(version: int) -> None:
    template = learned(version)
    for numbers in ((1, 0, 0, 0), (-5, 3, 1 << 40, 17), ((1 << 31) - 1, 70_000, 5, 5)):
        assert template.answer(*numbers) == answer_of(version, *numbers)


@pytest.mark.parametrize("version", [7, 9, 13])
def test_other_requests_are_not_read(version: int) -> None:
    template = learned(version)
    frame = frame_of(version, batch_of(b"value"))
    numbers = 0
    for place in range(frame.index(batch_of(b"value"))):
        other = bytearray(frame)
        other[place] ^= 1
        read = read_by(template, other, 0, len(other))
        assert read is None or read[:2] != (1, 0)
        numbers += read is not None
    assert numbers == 8, "the bytes of the correlation id and of the partition"
    several = frame_of(version, batch_of(b"value"), times=127)
    assert template.read_front(several, 0, len(several)) is None
    acks_0 = frame_of(version, batch_of(b"value"), acks=0)
    assert read_by(template, acks_0, 0, len(acks_0)) is None
    assert read_by(template, frame, 0, len(frame) - 70) is None


def test_tagged_fields_and_lengths_of_an_odd_form_are_not_read() -> None:
    template = learned(9)
    frame = frame_of(9, batch_of(b"value"))
    with_tag = frame[:-1] + b"\x01\x63\x01\xff"
    assert read_by(template, with_tag, 0, len(with_tag)) is None
    assert learn(with_tag, VERSIONS) is None


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"\0\0\0",
        frame_of(4, batch_of(b"v")),
        frame_of(9, batch_of(b"v"))[:-1],
        frame_of(9, batch_of(b"v")) + b"\0",
        frame_of(9, None),
        frame_of(9, batch_of(b"v"), times=127),
        frame_of(9, batch_of(b"v"), times=0),
    ],
)
def test_frames_that_cannot_be_a_template_are_not_learned(frame: bytes) -> None:
    assert learn(frame, VERSIONS) is None
    assert learn(frame_of(9, batch_of(b"v")), range(3, 9)) is None


@pytest.mark.parametrize("version", [8, 9])
def test_records_of_every_size_are_found_and_nothing_may_follow(version: int) -> None:
    template = learned(version)
    for records_bytes in range(HEADER.size, 400):
        frame = frame_of(version, bytes(records_bytes))
        read = read_by(template, frame, 0, len(frame))
        assert read is not None
        _, _, start, end, _ = read
        assert end - start == records_bytes
        assert read_by(template, frame + b"\0", 0, len(frame) + 1) is None


@pytest.mark.parametrize("version", [8, 9])
def test_the_first_bytes_of_a_large_request_are_enough(version: int) -> None:
    template = learned(version)
    frame = frame_of(version, batch_of(bytes(100_000)))
    head = frame[: template.head_bytes]
    front = template.read_front(frame, 0, len(frame))
    assert front is not None
    assert template.read_front(head, 0, len(frame)) == front
    at = front[2]
    assert template.read_partition(head, at, 0, len(frame)) == template.read_partition(
        frame[at : at + ENTRY_HEAD_BYTES], at, at, len(frame)
    )


@pytest.mark.parametrize("version", range(5, 14))
@pytest.mark.parametrize("times", [2, 3, 126])
def test_requests_for_several_partitions_are_learned_read_and_answered(
    version: int, times: int
) -> None:
    batch = batch_of(b"value")
    frame = frame_of(version, batch, 5, index=7, times=times)
    template = learn(frame, VERSIONS)
    assert template is not None
    front = template.read_front(frame, 0, len(frame))
    assert front is not None
    assert front[:2] == (5, times)
    at = front[2]
    for _ in range(times):
        read = template.read_partition(frame, at, 0, len(frame))
        assert read is not None
        index, start, end, _ = read
        assert (index, frame[start:end]) == (7, batch)
        at = template.position_after(frame, end)
    assert template.matches_end(frame[end:])
    assert template.position_after(frame[:end] + b"\x01", end) == (-1 if version >= 9 else end)
    assert template.answer_several(5, [(7, 40, 2)] * times) == answer_of(
        version, 5, 7, 40, 2, times=times
    )


def test_a_partition_that_ends_beyond_its_request_is_not_read() -> None:
    template = learned(9)
    frame = frame_of(9, batch_of(b"value"), times=2)
    front = template.read_front(frame, 0, len(frame))
    assert front is not None
    for stop in range(front[2] + len(batch_of(b"value"))):
        assert template.read_partition(frame, front[2], 0, stop) is None
