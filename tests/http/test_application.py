"""Every route, as the OpenAPI document describes it."""

from typing import Any

import msgspec

from mockbroker import Cluster
from mockbroker.http.application import ENDPOINTS
from mockbroker.http.endpoint import Endpoint
from mockbroker.http.endpoints.journal_endpoints import EVENT_STREAM
from mockbroker.http.openapi import openapi
from mockbroker.http.problem import ProblemDocument
from mockbroker.wire import WireProducer
from tests.support.consumer_members import ConsumerMember
from tests.support.http import Http

DOCUMENT = openapi(ENDPOINTS)
NAMES = {
    "topic": "orders",
    "partition": "0",
    "id": "r",
    "name": "PLAINTEXT",
    "transactional_id": "mine",
    "group_id": "readers",
    "broker": "1",
    "file": "app.js",
}


def test_no_get_request_changes_the_state(cluster: Cluster, http: Http) -> None:
    http.post("/faults", {"id": "r", "effect": {"observe": True}})
    before = cluster.look(lambda state, _now_ms: state.as_text())
    for endpoint in ENDPOINTS:
        if endpoint.method == "GET" and endpoint.media_type != EVENT_STREAM:
            path = endpoint.path.format(**NAMES).removeprefix("/api/v1")
            query = "?timeout=1ms" if path.endswith("/wait") else ""
            root = "" if endpoint.path.startswith("/api/v1") else "/"
            assert http.ask("GET", f"{root}{path}{query}").status in {200, 404, 409, 422, 504}, path
    assert cluster.look(lambda state, _now_ms: state.as_text()) == before


def test_responses_match_their_description() -> None:
    with Cluster(topics={"orders": 1}, journal=True, admin_port=0) as cluster:
        http = Http(cluster)
        ConsumerMember(cluster, "a").join()
        with WireProducer(cluster.bootstrap_servers, "mine") as producer:
            producer.init_producer_id()
            producer.add_partition("orders")
            producer.produce("orders", b"value", base_sequence=0)
        http.post("/faults", {"id": "r", "match": {"api": "Produce"}, "effect": {"observe": True}})
        for endpoint in ENDPOINTS:
            if endpoint.method == "GET" and endpoint.answers is not None:
                answer = http.ask("GET", asked_path(endpoint))
                assert str(answer.status) in described(endpoint)["responses"], endpoint
                expected = endpoint.answers if answer.status == 200 else ProblemDocument
                msgspec.json.decode(answer.body, type=expected)


def asked_path(endpoint: Endpoint) -> str:
    path = endpoint.path.format(**NAMES).removeprefix("/api/v1")
    path = f"/{path}" if path == endpoint.path else path
    return f"{path}?timeout=1ms" if path.endswith("/wait") else path


def described(endpoint: Endpoint) -> dict[str, Any]:
    operation: dict[str, Any] = DOCUMENT["paths"][endpoint.path][endpoint.method.lower()]
    return operation


def test_every_endpoint_refuses_unknown_fields(http: Http) -> None:
    for endpoint in ENDPOINTS:
        path = endpoint.path.format(**NAMES).removeprefix("/api/v1")
        path = path if endpoint.path.startswith("/api/v1") else f"/{path}"
        if endpoint.has_body:
            problem = http.refused(endpoint.method, path, {"no_such_field": 1})
        else:
            problem = http.refused(endpoint.method, f"{path}?no_such_field=1")
        assert problem["status"] == 422, endpoint
        assert "no_such_field" in problem["detail"], endpoint


def test_requests_of_other_sites_are_refused(http: Http) -> None:
    answer = http.ask("GET", "/state", headers={"Origin": "http://evil.example"})
    assert (answer.status, answer.json["code"]) == (403, "foreign-origin")
    answer = http.ask("GET", "/state", headers={"Host": "evil.example"})
    assert (answer.status, answer.json["code"]) == (421, "misdirected")
