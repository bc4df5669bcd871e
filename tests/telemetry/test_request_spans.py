"""Spans of requests: errors, throttling, and what a request without a response shows."""

import pytest
from opentelemetry.trace import StatusCode

from mockbroker import API, Cluster
from mockbroker.protocol.messages.produce import ProduceResponse
from mockbroker.wire import WireClient, WireProducer
from tests.support.requests import produce
from tests.support.telemetry import Collected, facts


@pytest.fixture
def collected() -> Collected:
    return Collected()


def test_an_error_of_a_partition_is_the_status_of_its_request(collected: Collected) -> None:
    with (
        Cluster(topics={"orders": 1}, telemetry=collected.telemetry) as cluster,
        WireClient(cluster.bootstrap_servers) as client,
    ):
        client.ask(produce(index=7), 9, ProduceResponse)
    span = collected.span("Produce orders")
    assert span.status.status_code is StatusCode.ERROR
    assert span.status.description == "UNKNOWN_TOPIC_OR_PARTITION"
    assert facts(span)["error.type"] == "UNKNOWN_TOPIC_OR_PARTITION"
    assert facts(span)["mockbroker.errors"] == ("orders-7 UNKNOWN_TOPIC_OR_PARTITION",)


def test_all_batches_have_a_span_although_the_fast_path_would_report_none(
    collected: Collected,
) -> None:
    with (
        Cluster(topics={"orders": 1}, telemetry=collected.telemetry) as cluster,
        WireClient(cluster.bootstrap_servers) as client,
    ):
        for _ in range(5):
            client.ask(produce(), 9, ProduceResponse)
        cluster.look(lambda _state, _now_ms: None)
    spans = collected.spans("Produce orders")
    assert len(spans) == 5
    assert all((span.end_time or 0) > (span.start_time or 0) for span in spans)
    assert [facts(span)["mockbroker.call"] for span in spans] == [1, 2, 3, 4, 5]


def test_a_request_without_a_response_ends_when_it_is_handled(collected: Collected) -> None:
    with (
        Cluster(topics={"orders": 1}, telemetry=collected.telemetry) as cluster,
        WireClient(cluster.bootstrap_servers) as client,
    ):
        client.send(produce(acks=0), 9)
        cluster.wait_for_records("orders", 1)
    span = collected.span("Produce orders")
    assert "rpc.response.status_code" not in facts(span)
    assert span.status.status_code is StatusCode.UNSET


def test_the_virtual_time_and_throttling_are_attributes(collected: Collected) -> None:
    with Cluster(topics={"orders": 1}, clock="manual", telemetry=collected.telemetry) as cluster:
        cluster.fault(API.INIT_PRODUCER_ID, name="slow").throttle("40ms").once()
        now_ms = cluster.clock.advance("1d").now_ms
        with WireProducer(cluster.bootstrap_servers) as producer:
            producer.init_producer_id()
    span = collected.span("InitProducerId")
    assert facts(span)["mockbroker.virtual_time_ms"] == now_ms
    assert facts(span)["mockbroker.throttle_ms"] == 40
    assert (span.start_time or 0) < now_ms * 1_000_000


def test_all_faults_that_fire_on_a_call_are_named(collected: Collected) -> None:
    with Cluster(topics={"orders": 1}, telemetry=collected.telemetry) as cluster:
        cluster.fault(API.INIT_PRODUCER_ID, name="outer").delay("1ms").once()
        cluster.fault(API.INIT_PRODUCER_ID, name="inner").answer("NOT_COORDINATOR").once()
        with WireProducer(cluster.bootstrap_servers) as producer:
            producer.init_producer_id()
    span = collected.span("InitProducerId")
    assert facts(span)["mockbroker.fault"] == ("outer", "inner")
    assert facts(span)["mockbroker.fault.applied"][1] == "never"
    assert facts(span)["error.type"] == "NOT_COORDINATOR"
