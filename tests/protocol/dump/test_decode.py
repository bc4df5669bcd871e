import random
from typing import Any

import pytest

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.codec import encode
from mockbroker.protocol.dump.decode import (
    REQUEST,
    DecodedFrame,
    Direction,
    declared_api_keys,
    decode_frames,
    find_api,
)
from mockbroker.protocol.headers import (
    RequestHeader,
    ResponseHeader,
    request_header_version,
    response_header_version,
)
from mockbroker.protocol.messages import request_type, response_type
from mockbroker.protocol.messages.api_versions import ApiVersionsRequest
from mockbroker.protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from mockbroker.protocol.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)
from mockbroker.protocol.records.batch import build_batch
from mockbroker.protocol.records.record import Record
from mockbroker.protocol.schema.message import Message


def framed(body: bytes) -> bytes:
    return len(body).to_bytes(4, "big") + body


def request(message: Message, version: int) -> bytes:
    assert message.API is not None
    header = RequestHeader(
        request_api_key=message.API,
        request_api_version=version,
        correlation_id=1,
        client_id="me",
    )
    written = encode(header, request_header_version(message.API, version))
    return written + encode(message, version)


def response(message: Message, version: int) -> bytes:
    assert message.API is not None
    header = ResponseHeader(correlation_id=7)
    written = encode(header, response_header_version(message.API, version))
    return written + encode(message, version)


def values(frame: DecodedFrame) -> dict[str, Any]:
    return {row.path: row.value for row in frame.rows}


HEARTBEAT = request(HeartbeatRequest(group_id="g", generation_id=3, member_id="m"), 4)
PRODUCE = request(ProduceRequest(acks=1), 9)
ANSWER = response(HeartbeatResponse(error_code=27), 4)
OF_HEARTBEAT = Direction(ApiKey.HEARTBEAT, 4)


@pytest.mark.parametrize("data", [HEARTBEAT, framed(HEARTBEAT)])
def test_a_request_is_read_with_and_without_its_size(data: bytes) -> None:
    [frame] = decode_frames(data)
    assert frame.title == "request Heartbeat v4, correlation id 1, client id 'me'"
    assert (frame.start, frame.end, frame.error) == (0, len(data), None)
    found = values(frame)
    assert found.pop("size", len(HEARTBEAT)) == len(HEARTBEAT)
    assert found == {
        "header.request_api_key": 12,
        "header.request_api_version": 4,
        "header.correlation_id": 1,
        "header.client_id": "me",
        "header.tags": 0,
        "group_id": "g",
        "generation_id": 3,
        "member_id": "m",
        "group_instance_id": None,
        "tags": 0,
    }


def test_rows_have_their_bytes_without_a_gap() -> None:
    data = framed(HEARTBEAT) + framed(PRODUCE)
    rows = [row for frame in decode_frames(data) for row in frame.rows]
    assert [row.start for row in rows] == [0, *(row.end for row in rows[:-1])]
    assert rows[-1].end == len(data)


@pytest.mark.parametrize("version", [0, 4, 9, 13])
def test_a_request_that_looks_like_a_size_is_read_as_a_request(version: int) -> None:
    [frame] = decode_frames(request(ProduceRequest(acks=1), version))
    assert frame.title.startswith(f"request Produce v{version}")
    assert frame.error is None


def test_several_frames_follow_each_other() -> None:
    frames = list(decode_frames(framed(HEARTBEAT) + framed(PRODUCE)))
    assert [frame.title.split(",")[0] for frame in frames] == [
        "request Heartbeat v4",
        "request Produce v9",
    ]
    assert frames[1].start == frames[0].end


def test_the_last_frame_may_be_cut() -> None:
    data = framed(HEARTBEAT) + framed(PRODUCE)[:-3]
    first, second = decode_frames(data)
    assert first.error is None
    assert second.title.endswith(", cut")
    assert str(second.error) == "timeout_ms: 4 bytes wanted, 3 left"
    assert data[second.unread_from :] == framed(PRODUCE)[-6:-3]


def test_a_cut_frame_that_reads_well_is_still_cut() -> None:
    [frame] = decode_frames((len(HEARTBEAT) + 5).to_bytes(4, "big") + HEARTBEAT)
    left = len(HEARTBEAT)
    assert str(frame.error) == f"size: a frame of {left + 5} bytes, where {left} are left"
    assert values(frame)["size"] == left + 5
    assert frame.unread_from == frame.end


@pytest.mark.parametrize(
    ("rest", "title", "why"),
    [
        (b"\0\0", "a cut frame", "size: 2 bytes are left, a size takes four"),
        (b"\xff\xff\xff\xff", "no frame", "size: a frame of -1 bytes, where 0 are left"),
    ],
)
def test_bytes_that_are_no_frame_are_left_unread(rest: bytes, title: str, why: str) -> None:
    _, frame = decode_frames(framed(HEARTBEAT) + rest)
    assert frame.title == title
    assert str(frame.error) == why


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\0\x12\0\x63" + bytes(4), "header: ApiVersions has the versions 0-5, not 99"),
        (b"\x03\xe8\0\0" + bytes(4), "header: there is no API with the key 1000"),
        (b"\0\x04\0\x03" + bytes(4), "header: LeaderAndIsr is used between brokers only"),
        (b"\0", "header: 1 bytes are no request"),
    ],
)
def test_a_request_that_cannot_be_decoded_has_the_reason(data: bytes, why: str) -> None:
    [frame] = decode_frames(framed(data))
    assert str(frame.error) == why


def test_a_request_without_size_of_an_unknown_api_is_named() -> None:
    [frame] = decode_frames(b"\0\x04\0\x03" + bytes(10))
    assert str(frame.error) == "header: LeaderAndIsr is used between brokers only"
    assert values(frame)["header.correlation_id"] == 0


def test_bytes_after_the_last_field_are_left_unread() -> None:
    [frame] = decode_frames(framed(HEARTBEAT + b"more"))
    assert str(frame.error) == "message: 4 bytes are left over after the last field"
    assert frame.unread_from == frame.end - 4


@pytest.mark.parametrize("data", [ANSWER, framed(ANSWER)])
def test_a_response_is_decoded_as_the_given_api_and_version(data: bytes) -> None:
    [frame] = decode_frames(data, OF_HEARTBEAT)
    assert frame.title == "response Heartbeat v4, correlation id 7"
    assert frame.error is None
    assert values(frame)["error_code"] == 27


def test_a_cut_response_has_no_size() -> None:
    [frame] = decode_frames(ANSWER[:-2], OF_HEARTBEAT)
    assert str(frame.error) == "error_code: 2 bytes wanted, 1 left"


def test_the_answer_to_api_versions_has_the_oldest_header() -> None:
    message = response_type(ApiKey.API_VERSIONS)()
    [frame] = decode_frames(response(message, 3), Direction(ApiKey.API_VERSIONS, 3))
    assert frame.error is None
    assert "header.tags" not in values(frame)


def test_batches_are_shown_below_their_field() -> None:
    batch = build_batch([Record(value=b"v")])
    partition = PartitionProduceData(records=batch)
    topic = TopicProduceData(name="t", partition_data=[partition])
    data = framed(request(ProduceRequest(topic_data=[topic]), 3))
    [frame] = decode_frames(data)
    path = "topic_data[0].partition_data[0].records"
    assert values(frame)[f"{path}[0].record_count"] == 1
    [field] = [row for row in frame.rows if row.path == f"{path}[0].base_offset"]
    assert field.start is not None
    assert data[field.start : field.start + len(batch)] == batch


@pytest.mark.parametrize("api_key", list(declared_api_keys()), ids=lambda api_key: api_key.title)
def test_every_api_is_read_in_both_directions(api_key: ApiKey) -> None:
    last = request_type(api_key).VERSIONS.last
    assert last is not None
    [asked] = decode_frames(framed(request(request_type(api_key)(), last)), REQUEST)
    answer = framed(response(response_type(api_key)(), last))
    [answered] = decode_frames(answer, Direction(api_key, last))
    assert (asked.error, answered.error) == (None, None)


@pytest.mark.parametrize("name", ["ApiVersions", "api_versions", "ApiVersionsRequest", "18"])
def test_an_api_is_found_by_its_common_names(name: str) -> None:
    assert find_api(name) is ApiKey.API_VERSIONS
    assert ApiVersionsRequest.API is ApiKey.API_VERSIONS


def test_an_unknown_name_is_no_api() -> None:
    assert find_api("Nothing") is None


def test_any_bytes_are_shown_as_far_as_they_can_be_read() -> None:
    rng = random.Random("decode")
    whole = framed(HEARTBEAT) + framed(PRODUCE)
    for _ in range(300):
        data = bytearray(whole[: rng.randint(1, len(whole))])
        for _ in range(rng.randint(0, 3)):
            data[rng.randrange(len(data))] = rng.choice((0, 1, 0x7F, 0x80, 0xFF))
        for direction in (REQUEST, OF_HEARTBEAT):
            frames = list(decode_frames(bytes(data), direction))
            assert [frame.start for frame in frames] == [0, *(frame.end for frame in frames[:-1])]
            assert frames[-1].end == len(data)
            assert all(frame.unread_from <= frame.end for frame in frames)
