"""Clients beyond their quotas get their answers, and then have to wait."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from mockbroker.protocol.messages.describe_acls import DescribeAclsRequest, DescribeAclsResponse
from mockbroker.protocol.messages.fetch import FetchResponse
from mockbroker.protocol.messages.metadata import MetadataResponse
from mockbroker.protocol.messages.produce import ProduceRequest, ProduceResponse
from mockbroker.state.client.client_quotas import QuotaAlteration
from tests.support.in_process import Brokers, frame_of, read_answer, sized
from tests.support.requests import batch_of, fetch, metadata, produce

LARGE = batch_of(b"x" * 20_000)
SMALL = 1000
ALL_ACLS = DescribeAclsRequest(
    resource_type_filter=1,
    resource_name_filter=None,
    pattern_type_filter=3,
    principal_filter=None,
    host_filter=None,
    operation=1,
    permission_type=1,
)


def brokers_with(key: str, value: float, release: str = "4.4") -> Brokers:
    brokers = Brokers(topics={"orders": 1}, release=release)
    alteration = QuotaAlteration({"client-id": None}, [(key, value)])
    brokers.state.clients.quotas.alter([alteration], validate_only=False)
    return brokers


def both(request: ProduceRequest) -> bytes:
    """Return the frames of a request and of another one after it."""
    return sized(frame_of(request, 9, 1)) + sized(frame_of(ApiVersionsRequest(), 0, 2))


def test_a_producer_is_told_how_long_it_waits_and_waits() -> None:
    brokers = brokers_with("producer_byte_rate", SMALL)
    peer = brokers.connect()
    peer.feed(both(produce("orders", records=LARGE)))
    (frame,) = peer.new_frames()
    _, answer = read_answer(frame, ApiKey.PRODUCE, 9, ProduceResponse)
    assert 10_000 <= answer.throttle_time_ms <= 11_000
    assert answer.responses[0].partition_responses[0].error_code == 0
    brokers.loop.advance(answer.throttle_time_ms / 1000 - 0.01)
    assert not peer.new_frames()
    brokers.loop.advance(0.01)
    assert len(peer.new_frames()) == 1


def test_another_connection_of_the_client_is_served() -> None:
    brokers = brokers_with("producer_byte_rate", SMALL)
    brokers.ask(produce("orders", records=LARGE), 9, ProduceResponse)
    assert brokers.ask(ApiVersionsRequest(), 0, ApiVersionsResponse).api_keys
    again = brokers.ask(produce("orders"), 9, ProduceResponse)
    assert again.throttle_time_ms > 10_000


def test_without_acks_the_connection_is_silent_for_a_while() -> None:
    brokers = brokers_with("producer_byte_rate", SMALL)
    peer = brokers.connect()
    peer.feed(both(produce("orders", records=LARGE, acks=0)))
    assert not peer.new_frames()
    brokers.loop.advance(11)
    assert len(peer.new_frames()) == 1


def test_a_fetch_beyond_the_quota_gets_no_records() -> None:
    brokers = brokers_with("consumer_byte_rate", 2500)
    for _ in range(2):
        brokers.ask(produce("orders", records=LARGE), 9, ProduceResponse)
    first = brokers.ask(fetch("orders", max_bytes=20_500), 11, FetchResponse)
    assert first.throttle_time_ms == 0
    second = brokers.ask(fetch("orders", offset=1, max_bytes=20_500), 11, FetchResponse)
    assert second.throttle_time_ms > 0
    assert second.responses == []
    brokers.pass_time(11_000)
    third = brokers.ask(fetch("orders", offset=1, max_bytes=20_500), 11, FetchResponse)
    assert third.throttle_time_ms == 0
    assert third.responses[0].partitions[0].records


def test_a_fetch_is_limited_to_what_a_client_may_have_at_once() -> None:
    brokers = brokers_with("consumer_byte_rate", SMALL)
    for _ in range(5):
        brokers.ask(produce("orders", records=batch_of(b"x" * 4000)), 9, ProduceResponse)
    answer = brokers.ask(fetch("orders"), 11, FetchResponse)
    # 10,000 bytes of records, and those around them.
    assert 0 < answer.throttle_time_ms < 100


def test_requests_count_as_time_of_a_thread() -> None:
    brokers = brokers_with("request_percentage", 0.01)
    assert brokers.ask(metadata(), 9, MetadataResponse).throttle_time_ms == 0
    answers = [brokers.ask(metadata(), 9, MetadataResponse) for _ in range(20)]
    assert [each.throttle_time_ms for each in answers][-1] == 1000
    assert answers[-1].brokers


def test_a_request_that_is_refused_counts_too() -> None:
    brokers = brokers_with("request_percentage", 0.01)
    answers = [brokers.ask(ALL_ACLS, 1, DescribeAclsResponse) for _ in range(20)]
    assert {each.error_code for each in answers} == {ErrorCode.SECURITY_DISABLED}
    assert answers[-1].throttle_time_ms == 1000


def test_before_2_0_the_refusal_itself_is_late() -> None:
    brokers = brokers_with("request_percentage", 0.01, "1.1")
    for _ in range(20):
        brokers.connect().send(metadata(), 4)
    peer = brokers.connect()
    peer.send(ALL_ACLS, 0)
    assert not peer.new_frames()
    brokers.loop.advance(1)
    assert len(peer.new_frames()) == 1


def test_before_2_0_the_response_itself_is_late() -> None:
    brokers = brokers_with("producer_byte_rate", SMALL, "1.1")
    peer = brokers.connect()
    peer.send(produce("orders", records=LARGE), 5)
    assert not peer.new_frames()
    brokers.loop.advance(11)
    assert len(peer.new_frames()) == 1


def test_without_quotas_the_fast_path_is_taken_again() -> None:
    brokers = brokers_with("producer_byte_rate", 1e9)
    assert brokers.service.needs_general_path
    removal = QuotaAlteration({"client-id": None}, [("producer_byte_rate", None)])
    brokers.state.clients.quotas.alter([removal], validate_only=False)
    assert not brokers.service.needs_general_path
