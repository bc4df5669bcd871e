"""Instruments: one set for each provider, whatever clusters come and go."""

from typing import Any

import pytest
from opentelemetry.exporter.prometheus import PrometheusMetricReader
from opentelemetry.sdk.metrics import MeterProvider
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from mockbroker import API, Cluster, Telemetry
from mockbroker.telemetry.instruments import instruments_of
from mockbroker.telemetry.measurements import INSTRUMENTS
from mockbroker.wire import WireProducer
from tests.support.http import Http
from tests.support.telemetry import Collected

TOPICS = "kafka.server.replicamanager.partitioncount"


def values(points: list[Any]) -> set[int]:
    return {point.value for point in points}


def test_clusters_of_one_provider_are_told_apart_by_their_id() -> None:
    collected = Collected()
    with (
        Cluster(topics={"a": 1}, seed=1, telemetry=collected.telemetry),
        Cluster(topics={"a": 2}, seed=2, telemetry=collected.telemetry),
    ):
        points = collected.metrics()[TOPICS]
    assert values(points) == {1, 2}
    assert len({point.attributes["messaging.kafka.cluster.id"] for point in points}) == 2


def sample_names(text: str) -> set[str]:
    families = text_string_to_metric_families(text)
    return {sample.name for family in families for sample in family.samples}


@pytest.mark.slow
def test_prometheus_has_the_names_of_metrics_also_of_opentelemetry() -> None:
    reader = PrometheusMetricReader()
    telemetry = Telemetry(meter_provider=MeterProvider([reader], shutdown_on_exit=False))
    with Cluster(topics={"orders": 1}, admin_port=0, telemetry=telemetry) as cluster:
        cluster.fault(API.END_TXN, name="lost").lose_response().once()
        with WireProducer(cluster.bootstrap_servers, "billing") as producer:
            producer.init_producer_id()
            producer.add_partition("orders")
            producer.produce("orders", b"value", base_sequence=0)
            with pytest.raises(ConnectionError):
                producer.commit()
        scraped = sample_names(Http(cluster).ask("GET", "//metrics").body.decode())
        exported = sample_names(generate_latest().decode())
    reader.shutdown()
    assert {"mockbroker_rules_hits_total", "mockbroker_clock_ahead_seconds"} < scraped
    assert scraped <= exported
    assert "rpc_server_call_duration_seconds_bucket" in exported - scraped


def test_a_provider_gets_no_instrument_twice(caplog: pytest.LogCaptureFixture) -> None:
    collected = Collected()
    for partitions in (1, 2):
        with Cluster(topics={"a": partitions}, telemetry=collected.telemetry):
            assert values(collected.metrics()[TOPICS]) == {partitions}
    assert not caplog.records


def test_each_collection_measures_once(monkeypatch: pytest.MonkeyPatch) -> None:
    collected = Collected()
    meters = collected.telemetry.meter_provider
    assert meters is not None
    with Cluster(telemetry=collected.telemetry):
        collected.metrics()
        (cluster,) = instruments_of(meters).clusters
        measured: list[object] = []

        def measure(of: object) -> tuple[()]:
            measured.append(of)
            return ()

        monkeypatch.setattr(type(cluster), "measure", measure)
        collected.metrics()
        collected.metrics()
    assert measured == [cluster] * 3  # and once more at its end
    assert len(INSTRUMENTS) > 10
