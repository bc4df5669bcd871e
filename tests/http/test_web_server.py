"""HTTP on the cluster's own loop."""

import logging

import pytest

from mockbroker import Cluster
from tests.support.http import Http


def test_requests_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with Cluster(admin_port=0) as cluster:
        http = Http(cluster)
        http.get("//livez")
        assert http.ask("GET", "/nowhere").status == 404
    assert [record for record in caplog.records if record.name.startswith("uvicorn")] == []


def test_a_second_cluster_has_its_own_http_port() -> None:
    with Cluster(topics={"a": 1}, admin_port=0) as one, Cluster(admin_port=0) as other:
        assert len(Http(one).get("/topics")["topics"]) == 1
        assert Http(other).get("/topics")["topics"] == []
