"""Search over HTTP: what is found, and how much is read."""

import pytest

from mockbroker import API, Cluster
from mockbroker.http.live import search as searching
from mockbroker.protocol.records.record import Record
from mockbroker.wire import WireProducer
from tests.support.http import Http
from tests.support.seen_cluster import commit, store_batch

HOLDS_NO_RECORD: dict[str, list[object]] = {"records": [], "errors": []}


def test_names_are_found_by_a_part_in_any_case(cluster: Cluster, http: Http) -> None:
    commit(cluster, "Billing-1")
    found = http.get("/views/search?text=bill")
    assert found["transactions"] == ["Billing-1"]
    assert http.get("/views/search?text=RDER")["topics"] == ["orders"]
    assert {name: found[name] for name in HOLDS_NO_RECORD} == HOLDS_NO_RECORD


def test_errors_are_found_by_name_and_by_number() -> None:
    with Cluster(topics={"orders": 1}, journal=True, admin_port=0) as cluster:
        cluster.fault(API.PRODUCE).answer("NOT_LEADER_OR_FOLLOWER").once()
        with WireProducer(cluster.bootstrap_servers) as producer:
            producer.init_producer_id()
            producer.produce("orders", b"value", base_sequence=0)
        http = Http(cluster)
        for text in ("not-leader", "NOT_LEADER", "6"):
            (error, *_) = http.get(f"/views/search?text={text}")["errors"]
            assert (error["error"], error["api"]) == ("NOT_LEADER_OR_FOLLOWER", "Produce"), text
        assert http.get("/views/search?text=FENCED")["errors"] == []


def test_a_search_reads_a_bounded_number_of_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "RECORDS_MAX", 3)
    with Cluster(topics={"orders": 1}, admin_port=0) as cluster:
        with WireProducer(cluster.bootstrap_servers) as producer:
            producer.init_producer_id()
            for number in range(5):
                producer.produce("orders", b"v", base_sequence=number)
        assert not Http(cluster).get("/views/search?text=key")["are_all_records_searched"]


def test_a_long_key_is_cut_in_its_result() -> None:
    with Cluster(topics={"orders": 1}, admin_port=0) as cluster:
        store_batch(cluster, Record(key=b"long-" * 10_000, value=b"value"))
        (record,) = Http(cluster).get("/views/search?text=long-")["records"]
    assert record["key"] == "long-" * (searching.KEY_CHARACTERS_MAX // 5)


def test_deleted_records_of_a_stored_batch_are_not_found() -> None:
    with Cluster(topics={"orders": 1}, admin_port=0) as cluster:
        store_batch(
            cluster, Record(key=b"key-0", value=b""), Record(offset=1, key=b"key-1", value=b"")
        )
        cluster.partition("orders", 0).delete_records(1)
        found = Http(cluster).get("/views/search?text=key")["records"]
    assert [each["offset"] for each in found] == [1]


def test_keys_of_internal_topics_are_left_out(cluster: Cluster, http: Http) -> None:
    commit(cluster, "unique-id")
    assert http.get("/views/search?text=unique-id")["records"] == []


def test_an_empty_search_is_refused(http: Http) -> None:
    assert http.refused("GET", "/views/search?text=")["path"] == "$.text"
