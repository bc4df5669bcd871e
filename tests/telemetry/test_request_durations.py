"""Durations of requests."""

from mockbroker import API, Cluster
from mockbroker.protocol.messages.api_versions import ApiVersionsRequest
from mockbroker.wire import WireClient, WireProducer
from tests.support.telemetry import Collected

DURATION = "rpc.server.call.duration"


def counts(collected: Collected) -> dict[tuple[str, str], int]:
    return {
        (point.attributes["rpc.method"], point.attributes["rpc.response.status_code"]): point.count
        for point in collected.metrics().get(DURATION, [])
    }


def test_durations_are_by_api_and_status() -> None:
    collected = Collected()
    with Cluster(topics={"orders": 1}, telemetry=collected.telemetry) as cluster:
        cluster.fault(API.INIT_PRODUCER_ID).answer("NOT_COORDINATOR").once()
        with WireProducer(cluster.bootstrap_servers) as producer:
            producer.init_producer_id()
            producer.init_producer_id()
        found = counts(collected)
    assert found["InitProducerId", "NOT_COORDINATOR"] == 1
    assert found["InitProducerId", "NONE"] == 1


def test_calls_between_brokers_have_no_duration() -> None:
    collected = Collected()
    with (
        Cluster(topics={"orders": 1}, telemetry=collected.telemetry) as cluster,
        WireProducer(cluster.bootstrap_servers, "billing") as producer,
    ):
        producer.init_producer_id()
        producer.produce("orders", b"value", base_sequence=0)
        found = counts(collected)
    assert len(collected.spans("AddPartitionsToTxn orders")) == 1
    apis = [api for api, _ in found]
    assert "Produce" in apis
    assert "AddPartitionsToTxn" not in apis


def test_a_request_before_a_reset_has_none() -> None:
    collected = Collected()
    with Cluster(telemetry=collected.telemetry) as cluster:
        fault = cluster.fault(API.API_VERSIONS).hold().once()
        with WireClient(cluster.bootstrap_servers) as client:
            client.send(ApiVersionsRequest(), 0)
            fault.wait_held()
            cluster.reset()
        with WireClient(cluster.bootstrap_servers) as client:
            client.versions(API.PRODUCE)
        assert counts(collected) == {("ApiVersions", "NONE"): 1}
