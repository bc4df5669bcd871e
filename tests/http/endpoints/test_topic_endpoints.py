"""Topics over HTTP."""

import pytest

from mockbroker import Cluster
from mockbroker.wire import WireProducer
from tests.support.http import Http


@pytest.fixture(scope="module", autouse=True)
def _written(shared: Cluster) -> None:
    with WireProducer(shared.bootstrap_servers, "mine") as producer:
        producer.init_producer_id()
        producer.add_partition("orders", 0)
        producer.produce("orders", b"one", base_sequence=0)
        producer.commit()
        producer.add_partition("orders", 0)
        producer.produce("orders", b"\xff", base_sequence=1)
        producer.abort()


def test_topics_show_their_partitions(http: Http) -> None:
    topics = http.get("/topics")["topics"]
    assert [topic["name"] for topic in topics if not topic["is_internal"]] == ["orders", "payments"]
    orders = http.get("/topics/orders")
    assert orders in topics
    assert [each["partition"] for each in orders["partitions"]] == [0, 1]
    partition = http.get("/topics/orders/partitions/0")
    assert partition == orders["partitions"][0]
    assert (partition["high_watermark"], partition["last_stable_offset"]) == (4, 4)


def test_a_log_shows_its_batches_and_markers(http: Http) -> None:
    log = http.get("/topics/orders/partitions/0/log")
    assert [batch["marker"] for batch in log["batches"]] == [None, "commit", None, "abort"]
    assert log["next_offset"] == 4
    part = http.get("/topics/orders/partitions/0/log?from=1&limit=2")
    assert part["batches"] == log["batches"][1:3]
    assert part["next_offset"] == 3


def test_timelines_are_drawn(http: Http) -> None:
    drawn = http.get("/lanes?topic=orders&partition=0&width=80")["text"]
    assert drawn.startswith("orders-0")
    assert "COMMIT" in drawn
    assert max(map(len, drawn.splitlines())) <= 80
    assert "orders-0" in http.get("/lanes")["text"]
    assert http.refused("GET", "/lanes?width=20")["path"] == "$.width"
    assert http.refused("GET", "/lanes?topic=order")["near"] == ["orders"]


def test_records_are_those_of_an_isolation_level(http: Http) -> None:
    path = "/topics/orders/partitions/0/records"
    every = http.get(path)["records"]
    assert [record["value"]["text"] for record in every] == ["one", None]
    assert every[1]["value"]["base64"] == "/w=="
    assert http.get(f"{path}?isolation=read_committed")["records"] == every[:1]
    assert http.get(f"{path}?from=1&limit=5")["records"] == every[1:]
    assert http.get(f"{path}?limit=1")["records"] == every[:1]
    assert http.refused("GET", f"{path}?isolation=none")["path"] == "$.isolation"


def test_records_are_deleted_before_an_offset(http: Http) -> None:
    path = "/topics/payments/partitions/0/records"
    assert http.ask("DELETE", path).json == {"log_start_offset": 0}
    problem = http.refused("DELETE", f"{path}?before=7")
    assert (problem["status"], problem["kafka_error"]) == (409, "OFFSET_OUT_OF_RANGE")


@pytest.mark.parametrize(
    ("path", "detail"),
    [
        ("/topics/ordrs", "there is no topic 'ordrs'; did you mean orders?"),
        ("/topics/ordrs/partitions/0", "there is no topic 'ordrs'; did you mean orders?"),
        ("/topics/orders/partitions/7", "there is no partition orders-7"),
        ("/topics/orders/partitions/x/log", "there is no partition 'x'"),
    ],
)
def test_missing_topics_and_partitions_are_named(http: Http, path: str, detail: str) -> None:
    problem = http.refused("GET", path)
    assert (problem["status"], problem["detail"]) == (404, detail)


def test_a_topic_is_created_and_gets_records() -> None:
    with Cluster(admin_port=0) as cluster:
        http = Http(cluster)
        created = http.post(
            "/topics", {"name": "orders", "partitions": 2, "config": {"retention.ms": "7"}}
        )
        assert created == http.get("/topics/orders")
        headers = [{"key": "a", "value": "1"}, {"key": "b", "value": None}]
        record = {"value": "paid", "key": "7", "headers": headers}
        appended = http.post("/topics/orders/records", {**record, "partition": 1})
        assert (appended["topic"], appended["partition"], appended["offset"]) == ("orders", 1, 0)
        binary = {"value": "/w==", "base64": True, "partition": 1, "timestamp_ms": 5}
        assert http.post("/topics/orders/records", binary)["timestamp_ms"] == 5
        first, second = cluster.records("orders", 1)
        assert (first.key, first.value) == (b"7", b"paid")
        assert tuple(first.headers) == (("a", b"1"), ("b", None))
        assert (second.value, second.timestamp_ms) == (b"\xff", 5)
        exists = http.refused("POST", "/topics", {"name": "orders"})
        assert exists["kafka_error"] == "TOPIC_ALREADY_EXISTS"
        unknown = http.refused("POST", "/topics", {"name": "b", "config": {"retention.m": "1"}})
        assert "did you mean retention.ms?" in unknown["detail"]
        wrong = http.refused("POST", "/topics/orders/records", {"value": "?", "base64": True})
        assert (wrong["code"], wrong["path"]) == ("invalid", "$.value")
        assert len(cluster.records("orders")) == 2
