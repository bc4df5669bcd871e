"""The argument `telemetry` of `Cluster`."""

import sys

import pytest

from mockbroker import API, Cluster, SettingsError
from mockbroker.wire import WireClient
from tests.support.telemetry import Collected


@pytest.mark.parametrize("setting", ["otlp", 1, None])
def test_another_value_is_refused_with_the_allowed_ones(setting: object) -> None:
    with pytest.raises(SettingsError, match=r"^telemetry=.*: allowed are True, False and mock"):
        Cluster(telemetry=setting)  # type: ignore[arg-type]


def test_without_opentelemetry_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.metrics", None)
    monkeypatch.delitem(sys.modules, "mockbroker.telemetry.cluster_telemetry", raising=False)
    with pytest.raises(SettingsError, match=r"^telemetry=True: it needs .*\(extra `otel`\)$"):
        Cluster(telemetry=True)


def test_true_is_the_global_providers(monkeypatch: pytest.MonkeyPatch) -> None:
    collected = Collected()
    module = "mockbroker.telemetry.cluster_telemetry"
    given = collected.telemetry
    monkeypatch.setattr(f"{module}.get_tracer_provider", lambda: given.tracer_provider)
    monkeypatch.setattr(f"{module}.get_meter_provider", lambda: given.meter_provider)
    with Cluster(telemetry=True) as cluster:
        with WireClient(cluster.bootstrap_servers) as client:
            client.versions(API.PRODUCE)
        assert len(collected.spans("ApiVersions")) == 1
        assert "rpc.server.call.duration" in collected.metrics()
