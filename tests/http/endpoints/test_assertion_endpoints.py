"""Assertions over HTTP."""

import pytest

from mockbroker import Cluster
from mockbroker.control.assertion_table import ASSERTIONS
from mockbroker.wire import WireProducer
from tests.support.http import Http


def asserted(*rows: object) -> dict[str, object]:
    return {"assertions": list(rows)}


def test_true_assertions_pass(http: Http) -> None:
    rows = ({"name": "assert_no_hanging_transactions"}, {"name": "all-faults-fired"})
    assert http.post("/assertions", asserted(*rows)) == {
        "ok": True,
        "failures": [],
        "nothing_judged": [],
    }


def test_failures_have_the_same_text_as_in_python(cluster: Cluster, http: Http) -> None:
    with WireProducer(cluster.bootstrap_servers, "open") as producer:
        producer.init_producer_id()
        producer.add_partition("orders")
        producer.produce("orders", b"value", base_sequence=0)
        with pytest.raises(AssertionError) as failure:
            cluster.assert_no_open_transactions()
        outcome = http.post(
            "/assertions",
            asserted({"name": "no-open-transactions"}, {"name": "no-hanging-transactions"}),
        )
        producer.abort()
    assert outcome == {
        "ok": False,
        "failures": [{"name": "assert_no_open_transactions", "text": str(failure.value)}],
        "nothing_judged": [],
    }


def test_an_assertion_about_what_was_sent_says_that_nothing_was(
    cluster: Cluster, http: Http
) -> None:
    rows = asserted({"name": "no-loss"}, {"name": "no-loss"}, {"name": "no-open-transactions"})
    cluster.ledger.start()
    assert http.post("/assertions", rows)["nothing_judged"] == ["assert_no_loss"]
    with WireProducer(cluster.bootstrap_servers) as producer:
        producer.init_producer_id()
        producer.produce("orders", b"value", base_sequence=0)
    assert http.post("/assertions", rows)["nothing_judged"] == []


def test_arguments_are_those_of_python(cluster: Cluster, http: Http) -> None:
    with WireProducer(cluster.bootstrap_servers, "fresh") as producer:
        producer.init_producer_id()
    for producer_epoch, expected in ((0, True), (7, False)):
        arguments = {"transactional_id": "fresh", "producer_epoch": producer_epoch}
        row = {"name": "producer-epoch", "arguments": arguments}
        assert http.post("/assertions", asserted(row))["ok"] is expected


@pytest.mark.parametrize(
    ("row", "path", "detail"),
    [
        ({"name": "no-los"}, "$.assertions[0].name", "there is no assertion 'no-los'"),
        (
            {"name": "no-loss", "arguments": {"topc": "x"}},
            "$.assertions[0].arguments",
            "has no argument 'topc'",
        ),
        ({"nam": "x"}, "$.assertions[0]", "unknown field `nam`; did you mean name?"),
    ],
)
def test_an_unknown_assertion_is_refused(
    http: Http, row: dict[str, object], path: str, detail: str
) -> None:
    problem = http.refused("POST", "/assertions", asserted(row))
    assert (problem["status"], problem["path"]) == (422, path)
    assert detail in problem["detail"]


def test_all_assertions_are_listed(http: Http) -> None:
    listed = http.get("/assertions")["assertions"]
    assert [row["name"] for row in listed] == list(ASSERTIONS)
    assert all(row["about"] for row in listed)


def test_without_a_ledger_some_assertions_cannot_be_checked() -> None:
    with Cluster(ledger_rows_max=0, admin_port=0) as cluster:
        problem = Http(cluster).refused("POST", "/assertions", asserted({"name": "no-loss"}))
    assert (problem["status"], problem["code"]) == (409, "conflict")


def test_the_ledger_is_shown_and_switched(cluster: Cluster, http: Http) -> None:
    off = {"is_on": False, "is_full": False, "rows": 0, "rows_max": 0}
    assert http.ask("PUT", "/ledger", {"on": False}).json == off
    assert http.get("/ledger") == off
    on = {"is_on": True, "is_full": False, "rows": 0, "rows_max": 1}
    assert http.ask("PUT", "/ledger", {"on": True, "rows_max": 1}).json == on
    with WireProducer(cluster.bootstrap_servers) as producer:
        for _ in range(2):
            producer.produce("orders", b"one", base_sequence=-1)
    assert http.get("/ledger") == on | {"is_full": True, "rows": 1}


def test_a_ledger_without_room_is_refused(http: Http) -> None:
    problem = http.refused("PUT", "/ledger", {"on": True, "rows_max": 0})
    assert (problem["status"], problem["path"]) == (422, "$.rows_max")
