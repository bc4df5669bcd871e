"""The steps from a frame to its response, and the errors of each step."""

import struct

import pytest

from mockbroker.broker.api_table import Route
from mockbroker.broker.call import Answer, Call
from mockbroker.broker.delayed import DelayedResponse
from mockbroker.broker.outcomes import CloseConnection
from mockbroker.broker.request_path import DelayedCall, RequestPath
from mockbroker.broker.slices.steps import ELEMENTS_MAX, TooManySteps
from mockbroker.events.event_bus import EventBus, subscribe
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.codec import encode
from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from mockbroker.protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResponse,
)
from mockbroker.protocol.messages.describe_groups import (
    DescribeGroupsRequest,
    DescribeGroupsResponse,
)
from mockbroker.protocol.messages.fetch import FetchResponse
from mockbroker.protocol.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
)
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.types import ZERO_UUID
from mockbroker.protocol.varint import write_uvarint
from tests.support.in_process import (
    SIZE,
    Brokers,
    frame_of,
    frames_in,
    read_answer,
)
from tests.support.logged import Logged
from tests.support.requests import fetch, metadata, produce

KEY_AND_VERSION = struct.Struct(">hh")


@pytest.fixture
def brokers() -> Brokers:
    return Brokers(topics={"orders": 1})


@pytest.fixture
def request_path(brokers: Brokers) -> RequestPath:
    return RequestPath(brokers.service, 1, 1)


def refusal_of(request_path: RequestPath, frame: bytes) -> CloseConnection:
    with pytest.raises(CloseConnection) as refused:
        request_path.answer(frame)
    return refused.value


def answered(request_path: RequestPath, frame: bytes) -> bytes:
    parts = request_path.answer(frame)
    assert isinstance(parts, list)
    (answer,) = frames_in(b"".join(parts))
    return answer


def route_to(brokers: Brokers, answer: Message | DelayedResponse | Exception) -> None:
    """Replace the response of Fetch."""

    def handle(_request: object, _call: Call) -> Message | DelayedResponse:
        if isinstance(answer, Exception):
            raise answer
        return answer

    brokers.service.routes[ApiKey.FETCH] = Route(ApiKey.FETCH, range(19), handle)


def test_a_response_follows_its_size(request_path: RequestPath) -> None:
    parts = request_path.answer(frame_of(metadata(), 12))
    assert isinstance(parts, list)
    data = b"".join(parts)
    assert SIZE.unpack_from(data)[0] == len(data) - SIZE.size


@pytest.mark.parametrize("version", [1, 12])
def test_the_header_of_an_answer_fits_the_version(request_path: RequestPath, version: int) -> None:
    frame = answered(request_path, frame_of(metadata(), version, 77))
    assert read_answer(frame, ApiKey.METADATA, version, MetadataResponse)[0] == 77


@pytest.mark.parametrize("frame", [b"", b"\0", b"\0\x03\0"])
def test_a_frame_without_a_header_is_refused(request_path: RequestPath, frame: bytes) -> None:
    refused = refusal_of(request_path, frame)
    assert refused.reason == "undecodable_request"
    assert refused.fields == {"why": f"{len(frame)} bytes are no request"}


@pytest.mark.parametrize("key", [-1, 9999, ApiKey.LEADER_AND_ISR])
def test_an_api_that_is_not_served_is_refused(request_path: RequestPath, key: int) -> None:
    refused = refusal_of(request_path, KEY_AND_VERSION.pack(key, 0) + bytes(10))
    assert refused.reason == "unknown_api"
    assert refused.fields == {"key": key, "version": 0}


@pytest.mark.parametrize("version", [-1, 99])
def test_a_version_that_is_not_served_is_refused(request_path: RequestPath, version: int) -> None:
    refused = refusal_of(request_path, KEY_AND_VERSION.pack(ApiKey.METADATA, version) + bytes(10))
    assert refused.reason == "unsupported_version"
    assert refused.fields == {"api": "METADATA", "version": version}


@pytest.mark.parametrize("version", [99, -1])
def test_a_newer_api_versions_is_answered_with_version_0(
    request_path: RequestPath, version: int
) -> None:
    # The header has the version's format, whatever follows it.
    frame = bytearray(frame_of(ApiVersionsRequest(), 3 if version > 0 else 0, 5))
    frame[:4] = KEY_AND_VERSION.pack(ApiKey.API_VERSIONS, version)
    correlation_id, answer = read_answer(
        answered(request_path, bytes(frame)), ApiKey.API_VERSIONS, 0, ApiVersionsResponse
    )
    assert correlation_id == 5
    assert answer.error_code == ErrorCode.UNSUPPORTED_VERSION
    assert [(api.api_key, api.min_version, api.max_version) for api in answer.api_keys] == [
        (ApiKey.API_VERSIONS, 0, 5)
    ]


def test_before_kip_511_a_newer_api_versions_is_answered_without_any_api() -> None:
    frame = bytearray(frame_of(ApiVersionsRequest(), 0, 5))
    frame[:4] = KEY_AND_VERSION.pack(ApiKey.API_VERSIONS, 99)
    request_path = RequestPath(Brokers(release="2.3").service, 1, 1)
    correlation_id, answer = read_answer(
        answered(request_path, bytes(frame)), ApiKey.API_VERSIONS, 0, ApiVersionsResponse
    )
    assert (correlation_id, answer.error_code) == (5, ErrorCode.UNSUPPORTED_VERSION)
    assert answer.api_keys == []


def test_a_broken_header_is_refused_with_the_field(request_path: RequestPath) -> None:
    frame = KEY_AND_VERSION.pack(ApiKey.METADATA, 12) + bytes(4) + struct.pack(">h", 100)
    refused = refusal_of(request_path, frame)
    assert refused.reason == "undecodable_request"
    assert refused.fields["field"] == "client_id"


def test_a_broken_body_is_refused_with_api_and_field(request_path: RequestPath) -> None:
    refused = refusal_of(request_path, frame_of(metadata(), 12)[:-1])
    assert refused.reason == "undecodable_request"
    assert refused.fields["api"] == "METADATA"
    assert set(refused.fields) == {"api", "field", "why"}


def test_bytes_after_a_request_are_ignored(request_path: RequestPath) -> None:
    """As in Kafka: librdkafka sends three extra bytes in Metadata v13."""
    plain = answered(request_path, frame_of(metadata(), 12))
    assert answered(request_path, frame_of(metadata(), 12) + b"\0\0\0") == plain


def test_a_response_that_cannot_be_encoded_is_logged_and_sent_as_an_error(
    brokers: Brokers, request_path: RequestPath, logged: Logged
) -> None:
    def unwritable(_request: object, _call: object) -> FetchResponse:
        return FetchResponse(session_id=1 << 40)

    key = ApiKey.FETCH
    route = brokers.service.routes[key]
    brokers.service.routes[key] = Route(key, route.versions, unwritable)
    frame = answered(request_path, frame_of(fetch(), 12))
    answer = read_answer(frame, key, 12, FetchResponse)[1]
    assert answer.error_code == ErrorCode.UNKNOWN_SERVER_ERROR
    assert len(logged.named("handler_failed")) == 1


def test_a_refusal_becomes_the_error_response_of_the_api(
    brokers: Brokers, request_path: RequestPath
) -> None:
    route_to(brokers, ApiError(ErrorCode.BROKER_NOT_AVAILABLE, "not now"))
    frame = answered(request_path, frame_of(fetch(), 12))
    answer = read_answer(frame, ApiKey.FETCH, 12, FetchResponse)[1]
    assert answer.error_code == ErrorCode.BROKER_NOT_AVAILABLE


def test_an_unexpected_exception_is_logged_and_sent_as_an_error(
    brokers: Brokers, request_path: RequestPath, logged: Logged
) -> None:
    mistake = ZeroDivisionError("a mistake of ours")
    route_to(brokers, mistake)
    frame = answered(request_path, frame_of(fetch(), 12))
    answer = read_answer(frame, ApiKey.FETCH, 12, FetchResponse)[1]
    assert answer.error_code == ErrorCode.UNKNOWN_SERVER_ERROR
    assert logged.named("handler_failed") == [{"api": "FETCH", "version": 12, "exc_info": mistake}]


def test_a_handler_may_close_the_connection(brokers: Brokers, request_path: RequestPath) -> None:
    route_to(brokers, CloseConnection("no_answer_is_right"))
    assert refusal_of(request_path, frame_of(fetch(), 12)).reason == "no_answer_is_right"


def test_acks_0_has_no_answer(request_path: RequestPath) -> None:
    assert request_path.answer(frame_of(produce(acks=0), 9)) is None


def delayed_answer(brokers: Brokers, request_path: RequestPath, mistake: Exception) -> Answer:
    def attempt(_is_last: bool) -> Message | None:
        raise mistake

    route_to(brokers, DelayedResponse([], 100, attempt))
    answer = request_path.answer(frame_of(fetch(), 12))
    assert isinstance(answer, DelayedCall)
    assert answer.call.api_version == 12
    return answer.delayed.attempt(False)


def test_an_exception_in_a_delayed_response_is_logged_and_sent_as_an_error(
    brokers: Brokers, request_path: RequestPath, logged: Logged
) -> None:
    answer = delayed_answer(brokers, request_path, KeyError("a mistake of ours"))
    assert isinstance(answer, FetchResponse)
    assert answer.error_code == ErrorCode.UNKNOWN_SERVER_ERROR
    assert len(logged.named("handler_failed")) == 1


def test_a_refusal_in_a_delayed_response_is_its_error_response(
    brokers: Brokers, request_path: RequestPath
) -> None:
    answer = delayed_answer(brokers, request_path, ApiError(ErrorCode.BROKER_NOT_AVAILABLE))
    assert isinstance(answer, FetchResponse)
    assert answer.error_code == ErrorCode.BROKER_NOT_AVAILABLE


def test_pending_work_runs_once_the_answer_is_made(
    brokers: Brokers, request_path: RequestPath
) -> None:
    wanted = MetadataRequestTopic(topic_id=ZERO_UUID, name="asked-for")
    request = MetadataRequest(topics=[wanted], allow_auto_topic_creation=True)
    answered(request_path, frame_of(request, 12))
    assert brokers.state.topics.get("asked-for") is None
    brokers.loop.run()
    assert brokers.state.topics.get("asked-for") is not None


def test_a_large_request_is_handled_in_slices_with_the_same_answer(brokers: Brokers) -> None:
    request = DescribeGroupsRequest(groups=[f"group-{n}" for n in range(1000)])
    frame = frame_of(request, 6, 5)
    request_path = RequestPath(brokers.service, 1, 1)
    with pytest.raises(TooManySteps):
        request_path.answer(frame)
    pauses: list[int] = []
    parts = request_path.answer_in_slices(frame, lambda: pauses.append(1))
    assert isinstance(parts, list)
    (answer,) = frames_in(b"".join(parts))
    correlation_id, response = read_answer(
        answer, ApiKey.DESCRIBE_GROUPS, 6, DescribeGroupsResponse
    )
    assert correlation_id == 5
    assert [group.group_id for group in response.groups] == request.groups
    assert len(pauses) > 1


def test_events_between_the_slices_of_a_call_are_not_its_own(
    brokers: Brokers, request_path: RequestPath
) -> None:
    subscribe(brokers.service, lambda _event: None)
    event_bus = brokers.service.event_bus
    assert isinstance(event_bus, EventBus)
    serving: list[object] = []
    frame = frame_of(DescribeGroupsRequest(groups=["group"] * 1000), 6)
    request_path.answer_in_slices(frame, lambda: serving.append(event_bus.serving))
    assert serving
    assert set(serving) == {None}


@pytest.mark.parametrize(
    ("request_", "version", "code"),
    [
        (MetadataRequest(topics=[MetadataRequestTopic(name="")] * (ELEMENTS_MAX + 1)), 13, 44),
        (DescribeGroupsRequest(groups=[""] * (ELEMENTS_MAX + 1)), 6, None),
    ],
)
def test_a_request_with_too_many_elements_is_refused(
    request_path: RequestPath, request_: Message, version: int, code: int | None
) -> None:
    frame = frame_of(request_, version)
    if code is None:
        with pytest.raises(CloseConnection) as refused:
            request_path.answer_in_slices(frame, lambda: None)
        assert refused.value.reason == "too_many_elements"
        return
    parts = request_path.answer_in_slices(frame, lambda: None)
    assert isinstance(parts, list)
    (answer,) = frames_in(b"".join(parts))
    _, response = read_answer(answer, ApiKey.METADATA, version, MetadataResponse)
    assert (response.error_code, response.topics) == (code, [])


def test_a_header_with_too_many_tagged_fields_is_refused(request_path: RequestPath) -> None:
    count = ELEMENTS_MAX + 1
    header = frame_of(metadata(), 12)[: -len(encode(metadata(), 12))]
    frame = header[:-1] + write_uvarint(count) + b"\x63\x00" * count
    with pytest.raises(CloseConnection) as refused:
        request_path.answer_in_slices(frame, lambda: None)
    assert refused.value.reason == "too_many_elements"


def test_a_response_that_is_too_large_is_refused_item_by_item(
    brokers: Brokers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mockbroker.broker.request_path.RESPONSE_BYTES_MAX", 100_000)
    resources = [
        DescribeConfigsResource(resource_type=2, resource_name="orders", configuration_keys=None)
    ] * 1000
    frame = frame_of(DescribeConfigsRequest(resources=resources), 4)
    parts = RequestPath(brokers.service, 1, 1).answer_in_slices(frame, lambda: None)
    assert isinstance(parts, list)
    (answer,) = frames_in(b"".join(parts))
    _, response = read_answer(answer, ApiKey.DESCRIBE_CONFIGS, 4, DescribeConfigsResponse)
    assert {result.error_code for result in response.results} == {ErrorCode.POLICY_VIOLATION}
    assert len(response.results) == 1000
