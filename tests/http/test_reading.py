"""Parsing of requests, and problems for invalid ones."""

from contextlib import closing
from urllib.parse import quote

import pytest
from starlette.requests import Request
from starlette.types import Message

from mockbroker.faults.documents.fault_document import FaultDocument
from mockbroker.http import reading
from mockbroker.http.application import ENDPOINTS
from mockbroker.http.problem import Problem
from mockbroker.http.reading import BODY_BYTES_MAX, invalid, names_in, read_document
from tests.support.http import Http, connected, head, received

RULE = {"id": "r", "effect": {"observe": True}}


@pytest.mark.parametrize(
    ("body", "status", "code", "path"),
    [
        (b"{", 400, "malformed-json", None),
        (b"\xff", 400, "malformed-json", None),
        (b'{"id": "\xff"}', 400, "malformed-json", None),
        (b"", 400, "malformed-json", None),
        (b"[]", 422, "invalid", "$"),
        (b'{"effect": {"delay": 1.5}}', 422, "invalid", "$.effect.delay"),
        (b'{"match": {"topc": 1}, "effect": {}}', 422, "invalid", "$.match"),
        (b" " * (BODY_BYTES_MAX + 1), 413, "too-large", None),
    ],
)
def test_an_unreadable_body_reports_the_reason(
    http: Http, body: bytes, status: int, code: str, path: str | None
) -> None:
    headers = {"Content-Type": "application/json"} if body else {}
    answer = http.ask("POST", "/faults", body, headers)
    assert (answer.status, answer.json["code"]) == (status, code)
    assert path is None or answer.json["path"] == path


def test_a_body_is_json_or_refused(http: Http) -> None:
    answer = http.ask("POST", "/faults", b"id: r", {"Content-Type": "text/yaml"})
    assert (answer.status, answer.json["detail"]) == (415, "Content-Type is text/yaml")
    answer = http.ask("POST", "/faults", RULE, {"Content-Type": "Application/JSON; charset=utf-8"})
    assert answer.status == 201


def test_a_body_without_required_fields_may_be_missing(http: Http) -> None:
    http.post("/faults", RULE)
    assert http.post("/faults/r/release") == {"released": 0}
    assert http.post("/faults/r/release", {}) == {"released": 0}


@pytest.mark.parametrize("name", [".", "..", "-", "a/release", "a b"])
def test_an_id_may_be_in_the_query(http: Http, name: str) -> None:
    path = f"/faults/-?id={quote(name, safe='')}"
    rule = {"effect": RULE["effect"]}
    made = http.ask("PUT", path, rule, {"Content-Type": "application/json"})
    assert made.json["id"] == name
    assert http.get(path)["id"] == name
    action = path.replace("-?", "-/release?")
    assert http.ask("POST", action).json == {"released": 0}
    assert http.ask("DELETE", path).status == 204
    assert name in http.refused("GET", path)["detail"]


def test_an_id_is_not_in_the_path_and_in_the_query(http: Http) -> None:
    http.post("/faults", RULE)
    problem = http.refused("GET", "/faults/r?id=r")
    assert (problem["path"], problem["code"]) == ("$.id", "invalid")
    problem = http.refused("GET", "/faults/-?id=r&id=r")
    assert problem["detail"] == "`id` is given twice"
    problem = http.refused("POST", "/faults/-/release?id=r&id=r")
    assert problem["detail"] == "send the fields in the body, not in the query"


def test_a_query_is_as_strict_as_a_body(http: Http) -> None:
    problem = http.refused("GET", "/topics/orders/partitions/0/log?form=1")
    assert (problem["path"], problem["near"]) == ("$", ["from"])
    problem = http.refused("GET", "/topics/orders/partitions/0/log?from=1&from=2")
    assert (problem["path"], problem["detail"]) == ("$.from", "`from` is given twice")
    problem = http.refused("GET", "/topics/orders/partitions/0/log?limit=many")
    assert problem["path"] == "$.limit"
    for path in ("/journal?after=null", "/producers?partition=NULL"):
        assert http.refused("GET", path)["detail"] == "a query cannot contain `null`"
    problem = http.refused("POST", "/faults/r/release?now=1")
    assert problem["detail"] == "send the fields in the body, not in the query"


def test_an_unknown_name_suggests_similar_ones() -> None:
    problem = invalid("Object contains unknown field `topc` - at `$.match`", FaultDocument)
    assert problem.document.near == ["topic"]
    assert problem.document.path == "$.match"
    assert problem.document.detail == ("Object contains unknown field `topc`; did you mean topic?")
    elsewhere = invalid("Object contains unknown field `topic`", FaultDocument)
    assert elsewhere.document.detail == "Object contains unknown field `topic`"
    assert invalid("Expected `object`", FaultDocument).document.path == "$"
    assert {"topic", "effect", "transactional_id"} <= set(names_in(FaultDocument))


def test_a_body_that_is_late_is_refused_and_the_connection_closed(
    http: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "ARRIVAL_S", 0.05)
    with closing(connected(http)) as slow:
        slow.sendall(head("POST", "/faults", 100) + b"{")
        answer = received(slow)
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"the body did not arrive within 0.05 s" in answer


@pytest.mark.asyncio
async def test_a_body_whose_client_leaves_is_late() -> None:
    async def receive() -> Message:
        return {"type": "http.disconnect"}

    endpoint = next(each for each in ENDPOINTS if each.has_body)
    scope = {"type": "http", "path": "/", "query_string": b"", "headers": [(b"host", b"h")]}
    request = Request(scope, receive)
    with pytest.raises(Problem, match="the connection was closed") as problem:
        await read_document(request, endpoint)
    assert problem.value.document.status == 408
