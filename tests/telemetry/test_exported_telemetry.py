"""Telemetry of `serve --otel`, as a receiver of OTLP gets it."""

import sys
from typing import Any

import pytest
from confluent_kafka import Producer

from mockbroker import Cluster, SettingsError
from mockbroker.cli.command_answer import CommandError
from mockbroker.cli.run import AskedAssertions, run
from mockbroker.settings.serve_options import ServeOptions
from mockbroker.telemetry.exported_telemetry import ExportedTelemetry
from tests.support.http import Http
from tests.support.otlp_receiver import otlp_receiver
from tests.support.process import served


def attributes(keys_and_values: Any) -> dict[str, Any]:
    return {
        each.key: getattr(each.value, each.value.WhichOneof("value")) for each in keys_and_values
    }


@pytest.mark.slow
def test_spans_and_metrics_of_a_process_arrive_when_it_stops() -> None:
    with otlp_receiver() as receiver:
        env = {
            "MOCKBROKER_OTEL": "1",
            "OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url,
            "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=ci",
        }
        with served("--topic", "orders", "--json", env=env) as broker:
            http = Http(broker.ready["admin_url"])
            effect = {"answer": "COORDINATOR_LOAD_IN_PROGRESS"}
            fault = {"id": "loading", "match": {"api": "EndTxn"}, "effect": effect}
            assert http.ask("POST", "/faults", fault).status == 201
            producer = Producer(
                {
                    "bootstrap.servers": broker.ready["bootstrap_servers"],
                    "transactional.id": "billing",
                    "retry.backoff.ms": 1,
                }
            )
            producer.init_transactions()
            producer.begin_transaction()
            producer.produce("orders", b"value")
            producer.commit_transaction()
            assert broker.stop() == 0
        assert not broker.stderr
    (resource,) = {str(attributes(each.resource.attributes)) for each in receiver.traces}
    assert "'service.name': 'mockbroker'" in resource
    assert "'deployment.environment.name': 'ci'" in resource
    refused, answered = [span for span in receiver.spans if span.name == "EndTxn"]
    assert attributes(refused.attributes)["error.type"] == "COORDINATOR_LOAD_IN_PROGRESS"
    (name,) = attributes(refused.attributes)["mockbroker.fault"].values
    assert name.string_value == "loading"
    (transaction,) = [span for span in receiver.spans if span.name == "transaction"]
    assert answered.parent_span_id == refused.parent_span_id == transaction.span_id
    (hits,) = receiver.metrics["mockbroker.rules_hits"].sum.data_points
    assert (attributes(hits.attributes)["rule"], hits.as_double or hits.as_int) == ("loading", 1)
    durations = receiver.metrics["rpc.server.call.duration"].histogram.data_points
    assert "EndTxn" in {attributes(each.attributes)["rpc.method"] for each in durations}


@pytest.mark.parametrize(
    ("variable", "value", "why"),
    [
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "allowed is http/protobuf; collectors take it at"),
        ("OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "http/json", "allowed is http/protobuf"),
        ("OTEL_TRACES_EXPORTER", "zipkin", "allowed are otlp, console, none"),
        ("OTEL_METRICS_EXPORTER", "prometheus", "allowed are otlp, console, none"),
    ],
)
def test_what_a_variable_cannot_be_is_an_error_with_its_name(
    variable: str, value: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, value)
    with Cluster() as cluster, pytest.raises(SettingsError, match=f"^{variable}={value}: {why}"):
        ExportedTelemetry(cluster._access.started)  # noqa: SLF001 - there is no public name


def test_an_invalid_variable_of_the_sdk_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "-1")
    with Cluster() as cluster, pytest.raises(SettingsError, match="an OTEL_ variable is invalid"):
        ExportedTelemetry(cluster._access.started)  # noqa: SLF001 - there is no public name


def test_the_cluster_of_a_command_is_exported_too(monkeypatch: pytest.MonkeyPatch) -> None:
    with otlp_receiver() as receiver:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.url)
        monkeypatch.setenv("OTEL_TRACES_EXPORTER", "none")
        options = ServeOptions(port=0, otel=True, topics=["orders"])
        assert run(options, [sys.executable, "-c", ""], AskedAssertions()).command_exit_code == 0
    assert "kafka.server.replicamanager.partitioncount" in receiver.metrics
    assert receiver.spans == []


def test_a_command_that_cannot_export_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "jaeger")
    with pytest.raises(CommandError, match=r"^OTEL_TRACES_EXPORTER=jaeger: allowed are otlp"):
        run(ServeOptions(port=0, otel=True), ["true"], AskedAssertions())
