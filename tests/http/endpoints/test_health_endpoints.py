"""Probes."""

import pytest

from mockbroker import Cluster, __version__
from mockbroker.http.endpoint import ApiRequest, Nothing
from mockbroker.http.endpoints.health_endpoints import get_readiness
from mockbroker.http.problem import Problem
from tests.support.fake_host import FakeHost
from tests.support.http import Http


@pytest.mark.parametrize("path", ["//livez", "//readyz", "//healthz"])
def test_a_running_cluster_is_live_and_ready(http: Http, path: str) -> None:
    assert http.get(path) == {"status": "ok"}


def test_the_versions_of_mockbroker_and_kafka_are_returned(http: Http) -> None:
    assert http.get("//version") == {"version": __version__, "kafka": "4.4"}


def test_a_cluster_that_stops_is_not_ready(cluster: Cluster) -> None:
    host = FakeHost()
    host.is_stopping = True
    with pytest.raises(Problem) as problem:
        get_readiness(ApiRequest(cluster, host, Nothing(), {}))
    assert problem.value.document.status == 503
