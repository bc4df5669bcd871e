"""The clock over HTTP."""

from threading import Thread

import pytest

from mockbroker import Cluster
from mockbroker.wire import WireProducer
from tests.support.http import Http

WEEK_MS = 7 * 86_400_000


def test_time_passes_and_due_events_are_returned(cluster: Cluster, http: Http) -> None:
    with WireProducer(cluster.bootstrap_servers, "idle") as producer:
        producer.init_producer_id()
    before_ms = http.get("/clock")["now_ms"]
    passed = http.post("/clock/advance", {"by": "7d", "keep_sessions": False})
    passed_again = http.post("/clock/advance", {"by": WEEK_MS})
    assert passed["now_ms"] >= before_ms + WEEK_MS
    assert "idle" in passed["transactional_ids"] + passed_again["transactional_ids"]
    assert passed["done"]
    assert {each["kind"] for each in passed["fell_due"]} <= {"transactional_id_expired"}
    assert http.get("/clock")["now_ms"] >= passed_again["now_ms"]


@pytest.mark.parametrize("by", ["soon", -1])
def test_an_invalid_time_is_refused(http: Http, by: str | int) -> None:
    problem = http.refused("POST", "/clock/advance", {"by": by})
    assert (problem["status"], problem["code"]) == (422, "invalid")


def test_the_clock_is_set_frozen_and_resumed(http: Http) -> None:
    later_ms = http.get("/clock")["now_ms"] + WEEK_MS
    answer = http.ask("PUT", "/clock", {"now": later_ms, "frozen": True})
    assert (answer.status, answer.json["mode"]) == (200, "manual")
    frozen_ms = answer.json["now_ms"]
    assert later_ms <= frozen_ms == http.get("/clock")["now_ms"]
    assert http.ask("PUT", "/clock", {"frozen": False}).json["mode"] == "offset"
    problem = http.refused("PUT", "/clock", {"now": "2001-01-01T00:00:00Z"})
    assert (problem["status"], problem["code"]) == (422, "invalid")


def test_a_jump_of_more_than_ten_years_is_refused(http: Http) -> None:
    before_ms = http.get("/clock")["now_ms"]
    for method, path, document in (
        ("POST", "/clock/advance", {"by": "36500d"}),
        ("PUT", "/clock", {"now": before_ms + 36_500 * 86_400_000}),
    ):
        problem = http.refused(method, path, document)
        assert (problem["status"], problem["code"]) == (422, "invalid")
        assert "at most 3650d at a time" in problem["detail"]
    assert http.get("/clock")["now_ms"] < before_ms + WEEK_MS


def test_requests_are_answered_while_the_clock_advances(http: Http, cluster: Cluster) -> None:
    before_ms = http.get("/clock")["now_ms"]
    years = Thread(target=http.ask, args=("POST", "/clock/advance", {"by": "3650d"}))
    years.start()
    while cluster.clock.now_ms < before_ms + WEEK_MS:
        pass
    assert http.get("/clock")["now_ms"] < before_ms + 3_650 * 86_400_000
    cluster.reset()
    years.join()
