"""Login of the page, and the choices for a fault, over HTTP."""

from collections.abc import Generator

import pytest

from mockbroker import Cluster
from tests.support.http import Http

TOKEN = "open-sesame"


@pytest.fixture
def guarded(monkeypatch: pytest.MonkeyPatch) -> Generator[Http]:
    monkeypatch.setenv("MOCKBROKER_ADMIN_TOKEN", TOKEN)
    with Cluster(admin_port=0) as cluster:
        yield Http(cluster)


def test_a_cookie_stands_for_the_token_in_pages_of_this_port_only(guarded: Http) -> None:
    own = {"Origin": guarded.url}
    answer = guarded.ask("POST", "/session", {"token": TOKEN}, own)
    assert answer.status == 204
    cookie, *attributes = answer.headers["Set-Cookie"].split("; ")
    assert {"HttpOnly", "SameSite=Strict"} <= set(attributes)
    session = {"Cookie": f"other=1; {cookie}"}
    advance = {"by": "1m"}
    assert guarded.ask("POST", "/clock/advance", advance, {**session, **own}).status == 200
    assert guarded.ask("POST", "/clock/advance", advance, session).status == 401
    foreign = {"Origin": "http://127.0.0.1:1"}
    assert guarded.ask("POST", "/clock/advance", advance, {**session, **foreign}).status == 403
    assert guarded.ask("GET", "/session", headers=session).json == {
        "needs_token": True,
        "may_command": True,
    }


def test_a_wrong_token_gets_no_cookie(guarded: Http) -> None:
    answer = guarded.ask("POST", "/session", {"token": "wrong"}, {"Origin": guarded.url})
    assert (answer.status, answer.json["code"]) == (401, "unauthorized")
    assert "Set-Cookie" not in answer.headers
    assert guarded.get("/session") == {"needs_token": True, "may_command": False}


def test_a_port_without_a_token_needs_no_login(http: Http) -> None:
    assert http.get("/session") == {"needs_token": False, "may_command": True}
    assert http.refused("POST", "/session", {"token": ""})["code"] == "unauthorized"


def test_the_form_of_a_fault_offers_what_the_api_carries(http: Http) -> None:
    produce = http.get("/views/fault-form")
    assert {"topic", "base_sequence", "client_id"} <= set(produce["selectors"])
    assert "group" not in produce["selectors"]
    assert {"answer", "corrupt", "lose_response"} <= set(produce["effects"])
    assert "NOT_LEADER_OR_FOLLOWER" in produce["errors"]
    heartbeat = http.get("/views/fault-form?api=Heartbeat")
    assert "group" in heartbeat["selectors"]
    assert "corrupt" not in heartbeat["effects"]


def test_everything_that_the_form_offers_is_accepted(http: Http, cluster: Cluster) -> None:
    values: dict[str, str] = {"answer": "error", "apply_then_answer": "error"}
    values |= {"delay": "1ms", "throttle": "1ms"}
    said = {"lose_response": "after_apply", "drop_request": "before_apply", "hold": "request"}
    for api in ("Produce", "Heartbeat", "InitProducerId", "Fetch"):
        form = http.get(f"/views/fault-form?api={api}")
        for effect in form["effects"]:
            value = values.get(effect) or said.get(effect) or True
            value = form["errors"][0] if value == "error" else value
            value = "after_apply" if effect == "hold_response" else value
            fault = {"match": {"api": api}, "effect": {effect: value}}
            assert http.ask("POST", "/faults", fault).status == 201, fault


def test_an_api_that_is_not_served_is_named(http: Http) -> None:
    assert http.refused("GET", "/views/fault-form?api=Vote")["code"] in {"not-found", "invalid"}
