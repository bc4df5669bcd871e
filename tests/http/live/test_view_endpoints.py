"""Views of the page over HTTP: short whatever the cluster has."""

from collections.abc import Generator

import pytest

from mockbroker import API, Cluster
from mockbroker.http.documents.log_view import HEADERS_MAX
from mockbroker.http.live.view_endpoints import ROWS, VALUE_BYTES_MAX
from mockbroker.protocol.records.record import Record
from mockbroker.wire import WireProducer
from tests.support.http import Http
from tests.support.seen_cluster import HANGING_OFFSET, seen_cluster, store_batch
from tests.support.wire import broker_client

OVERVIEW_BYTES_MAX = 20_000


@pytest.fixture(scope="module")
def seen() -> Generator[Cluster]:
    with seen_cluster() as cluster:
        yield cluster


def test_the_overview_begins_with_what_is_unusual(seen: Cluster) -> None:
    view = Http(seen).get("/views/overview")
    hanging, opened, *rest = view["transactions"]
    assert (hanging["state"], hanging["transactional_id"]) == ("Hanging", "lost")
    assert (hanging["topic"], hanging["first_offset"]) == ("orders", HANGING_OFFSET)
    assert (opened["transactional_id"], opened["state"]) == ("open", "Ongoing")
    assert [each["transactional_id"] for each in rest] == ["billing", "lost", "shipping"]
    assert [each["name"] for each in view["topics"]][:2] == ["orders", "payments"]
    assert view["topics"][0]["hanging"] == 1
    assert view["counts"] | {"partitions": 0} == {
        "topics": 4, "partitions": 0, "transactions": 4, "open_transactions": 1, "hanging": 1,
        "groups": 1, "connections": 0, "faults": 2,
    }  # fmt: skip
    assert [each["group_id"] for each in view["groups"]] == ["readers"]
    assert view["is_journal_on"]
    assert "fault_made" in {each["kind"] for each in view["events"]}


def test_connections_are_shown_with_their_clients(seen: Cluster) -> None:
    http = Http(seen)
    with broker_client(seen, 2):
        (row,) = http.get("/views/overview")["connections"]
    assert (row["broker"], row["listener"], row["principal"]) == (2, "PLAINTEXT", "User:ANONYMOUS")


def test_an_overview_without_a_journal_has_no_events() -> None:
    with Cluster(topics={"orders": 1}, admin_port=0) as cluster:
        view = Http(cluster).get("/views/overview")
    assert (view["is_journal_on"], view["events"]) == (False, [])


def test_a_large_cluster_has_a_short_overview() -> None:
    topics = {f"topic-{number:03}": 50 for number in range(100)}
    with Cluster(topics=topics, admin_port=0) as cluster:
        for number in range(100):
            cluster.fault(API.FETCH, name=f"fault-{number}").delay("1ms")
        answer = Http(cluster).ask("GET", "/views/overview")
    assert len(answer.body) < OVERVIEW_BYTES_MAX
    assert answer.json["counts"]["topics"] == 100
    assert len(answer.json["topics"]) == len(answer.json["faults"]) == ROWS


def test_lists_are_read_in_parts_and_searched() -> None:
    with Cluster(topics={f"t-{n}": 1 for n in range(7)}, admin_port=0) as cluster:
        http = Http(cluster)
        part = http.get("/views/topics?limit=3&offset=2")
        assert (part["total"], [each["name"] for each in part["topics"]]) == (
            7,
            ["t-2", "t-3", "t-4"],
        )
        assert [each["name"] for each in http.get("/views/topics?search=T-6")["topics"]] == ["t-6"]


def test_transactions_are_searched_by_what_a_row_shows(seen: Cluster) -> None:
    http = Http(seen)
    for text, found in [("hang", ["lost"]), ("bill", ["billing"]), ("orders", ["lost"])]:
        rows = http.get(f"/views/transactions?search={text}")["transactions"]
        assert [each["transactional_id"] for each in rows] == found, text


def test_the_lag_of_a_group_counts_its_committed_offsets(seen: Cluster) -> None:
    (row,) = Http(seen).get("/views/groups")["groups"]
    assert (row["group_id"], row["members"], row["lag"]) == ("readers", 1, 0)


@pytest.mark.parametrize("query", ["limit=0", "limit=201", "offset=-1"])
def test_a_part_that_cannot_be_is_refused(seen: Cluster, query: str) -> None:
    assert Http(seen).refused("GET", f"/views/topics?{query}")["code"] == "invalid"


def test_a_topic_is_shown_with_a_part_of_its_partitions(seen: Cluster) -> None:
    view = Http(seen).get("/views/topics/orders?limit=2&offset=1")
    assert (view["total"], [each["partition"] for each in view["partitions"]]) == (3, [1, 2])
    (hanging,) = view["hanging"]
    assert (hanging["partition"], hanging["first_offset"]) == (0, HANGING_OFFSET)


def test_a_batch_is_decoded_by_any_of_its_offsets(seen: Cluster) -> None:
    view = Http(seen).get("/views/topics/orders/partitions/0/batch?offset=1")
    assert (view["batch"]["base_offset"], view["is_cut"]) == (1, False)
    assert [each["value"]["text"] for each in view["records"]] == ["billing-1"]
    marker = Http(seen).get("/views/topics/orders/partitions/0/batch?offset=2")
    assert (marker["batch"]["marker"], marker["records"]) == ("commit", [])
    problem = Http(seen).refused("GET", "/views/topics/orders/partitions/0/batch?offset=99")
    assert problem["code"] == "not-found"


def test_long_values_are_cut() -> None:
    with Cluster(topics={"orders": 1}, admin_port=0) as cluster:
        with WireProducer(cluster.bootstrap_servers) as producer:
            producer.init_producer_id()
            producer.produce("orders", b"x" * 100_000, base_sequence=0)
        view = Http(cluster).get("/views/topics/orders/partitions/0/batch?offset=0")
    assert view["is_cut"]
    assert view["records"][0]["value"]["text"] == "x" * VALUE_BYTES_MAX


def test_long_and_many_headers_are_cut() -> None:
    headers = [(f"{number}-" + "h" * 10_000, b"x" * 10_000) for number in range(100)]
    with Cluster(topics={"orders": 1}, admin_port=0) as cluster:
        store_batch(cluster, Record(key=None, value=b"", headers=headers))
        view = Http(cluster).get("/views/topics/orders/partitions/0/batch?offset=0")
    (record,) = view["records"]
    assert view["is_cut"]
    assert len(record["headers"]) == HEADERS_MAX
    assert len(record["headers"][0]["key"]) == VALUE_BYTES_MAX
    assert record["headers"][0]["value"]["text"] == "x" * VALUE_BYTES_MAX
