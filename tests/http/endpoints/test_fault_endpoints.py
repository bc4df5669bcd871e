"""Faults over HTTP."""

import threading
from typing import Any

from mockbroker import API, ERR, Cluster
from mockbroker.protocol.messages.produce import ProduceResponse
from mockbroker.wire import WireClient
from tests.support.faults import VERSION, codes, produce_to
from tests.support.http import Http

HOLD = {"id": "late", "match": {"api": "Produce"}, "effect": {"hold": "request"}}


def produced(cluster: Cluster) -> int:
    with WireClient(cluster.bootstrap_servers) as client:
        return codes(client.ask(produce_to(0), VERSION, ProduceResponse))["orders", 0]


def test_a_fault_made_over_http_fires(cluster: Cluster, http: Http) -> None:
    made = http.post(
        "/faults",
        {"id": "r", "match": {"api": "Produce"}, "effect": {"answer": "NOT_COORDINATOR"}},
    )
    assert (made["id"], made["hits"], made["trigger"]) == ("r", 0, {"once": True})
    assert produced(cluster) == ERR.NOT_COORDINATOR
    shown = http.get("/faults/r")
    assert (shown["hits"], shown["is_over"]) == (1, True)
    assert shown["effect"] == {"answer": "NOT_COORDINATOR"}
    assert http.get("/faults") == {"faults": [shown]}


def test_a_fault_made_in_python_is_shown_over_http(cluster: Cluster, http: Http) -> None:
    cluster.fault(API.PRODUCE, name="p", when=lambda _facts: True).duplicate()
    shown = http.get("/faults/p")
    assert not shown["expressible"]
    assert shown["python"] == "p: fault(api=Produce, when=…).duplicate().once()"


def test_an_id_is_taken_once(http: Http) -> None:
    http.post("/faults", HOLD)
    problem = http.refused("POST", "/faults", HOLD)
    assert (problem["code"], problem["path"]) == ("conflict", "$.id")


def test_a_fault_is_replaced_in_its_place(cluster: Cluster, http: Http) -> None:
    for name in ("a", "b"):
        http.post("/faults", {"id": name, "effect": {"observe": True}})
    answer = http.ask("PUT", "/faults/a", {"effect": {"delay": "1ms"}})
    assert (answer.status, answer.json["effect"]) == (200, {"delay": "1ms"})
    assert [fault.name for fault in cluster.faults] == ["a", "b"]
    assert http.ask("PUT", "/faults/c", {"id": "c", "effect": {"delay": 1}}).status == 200
    assert [fault.name for fault in cluster.faults] == ["a", "b", "c"]


def test_an_invalid_fault_does_not_replace_the_old_one(http: Http) -> None:
    http.post("/faults", HOLD)
    problem = http.refused("PUT", "/faults/late", {"effect": {"answer": "OOPS"}})
    assert (problem["code"], problem["path"]) == ("invalid", "$.effect")
    problem = http.refused("PUT", "/faults/late", {"id": "x", "effect": {"delay": 1}})
    assert (problem["path"], problem["detail"]) == ("$.id", "the path has 'late'")
    assert http.get("/faults/late")["effect"] == {"hold": "request"}


def test_faults_are_removed_one_by_one_or_all(cluster: Cluster, http: Http) -> None:
    for name in ("a", "b/c", "d"):
        http.post("/faults", {"id": name, "effect": {"observe": True}})
    assert http.ask("DELETE", "/faults/b%2Fc").status == 204
    assert [fault.name for fault in cluster.faults] == ["a", "d"]
    assert http.ask("DELETE", "/faults").status == 204
    assert cluster.faults == []
    problem = http.refused("DELETE", "/faults/a")
    assert (problem["status"], problem["detail"]) == (404, "there is no fault 'a'")


def test_held_calls_are_waited_for_and_released(cluster: Cluster, http: Http) -> None:
    http.post("/faults", HOLD)
    with WireClient(cluster.bootstrap_servers) as client:
        client.send(produce_to(0), VERSION)
        assert http.get("/faults/late/wait?held=1&timeout=10s")["held"] == 1
        assert http.post("/faults/late/release") == {"released": 1}
        shown = http.get("/faults/late/wait?hits=1&released=1")
    assert (shown["held"], shown["released"], shown["error"]) == (0, 1, "NONE")


def waiting(http: Http, path: str) -> tuple[threading.Thread, list[Any]]:
    answers: list[Any] = []
    thread = threading.Thread(target=lambda: answers.append(http.ask("GET", path)))
    thread.start()
    return thread, answers


def watched(cluster: Cluster, name: str) -> None:
    """Wait until a request waits for a fault."""
    (state,) = [fault.state for fault in cluster.faults if fault.name == name]
    tries = 0
    while not cluster.look(lambda _cluster, _now_ms: state.watchers):
        tries += 1
        assert tries < 100_000


def test_a_waiter_is_answered_when_the_fault_has_fired(cluster: Cluster, http: Http) -> None:
    http.post("/faults", {"id": "r", "match": {"api": "Produce"}, "effect": {"observe": True}})
    thread, answers = waiting(http, "/faults/r/wait?hits=2&timeout=20s")
    watched(cluster, "r")
    produced(cluster)
    assert http.get("//livez") == {"status": "ok"}
    produced(cluster)
    thread.join()
    assert (answers[0].status, answers[0].json["hits"]) == (200, 2)
    assert cluster.look(lambda _cluster, _now_ms: cluster.faults[0].state.watchers) == []


def test_a_waiter_for_a_removed_fault_gets_an_error(cluster: Cluster, http: Http) -> None:
    http.post("/faults", HOLD)
    thread, answers = waiting(http, "/faults/late/wait?timeout=20s")
    watched(cluster, "late")
    http.ask("DELETE", "/faults/late")
    thread.join()
    assert (answers[0].status, answers[0].json["detail"]) == (404, "the fault 'late' was removed")


def test_a_wait_without_a_hit_times_out_and_names_the_closest_call(
    cluster: Cluster, http: Http
) -> None:
    document = {"id": "r", "match": {"api": "EndTxn"}, "effect": {"observe": True}}
    http.post("/faults", document)
    produced(cluster)
    problem = http.refused("GET", "/faults/r/wait?hits=3&timeout=10ms")
    assert (problem["status"], problem["code"]) == (504, "timeout")
    assert problem["detail"].startswith("no hits=3 within 10 ms: r: fault(api=EndTxn)")
    assert "api was Produce, the fault wants EndTxn" in problem["detail"]
    problem = http.refused("GET", "/faults/r/wait?timeout=soon")
    assert (problem["status"], "not a duration" in problem["detail"]) == (422, True)


def test_the_former_name_is_served_as_before(cluster: Cluster, http: Http) -> None:
    made = http.post("/rules", HOLD)
    assert http.get("/rules") == {"rules": [made]}
    assert http.get("/rules/late") == made
    assert http.ask("DELETE", "/rules/late").status == 204
    assert cluster.faults == []
