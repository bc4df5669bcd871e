"""Producers and transactions over HTTP."""

from mockbroker import Cluster
from mockbroker.wire import WireProducer
from tests.service.support.http import Http


def test_a_transaction_is_seen_from_both_sides(cluster: Cluster, http: Http) -> None:
    with WireProducer(cluster.bootstrap_servers, "mine") as producer:
        producer.init_producer_id()
        producer.add_partition("orders", 1)
        producer.produce("orders", b"one", base_sequence=0, index=1)
        shown = http.get("/transactions/mine")
        (known,) = http.get("/producers")["producers"]
        assert http.get("/producers?topic=orders&partition=1")["producers"] == [known]
        assert http.get("/producers?partition=0")["producers"] == []
        assert http.get("/transactions") == {"transactions": [shown]}
        assert http.get("/hanging") == {"hanging": []}
    assert (shown["state"], shown["partitions"]) == (
        "Ongoing",
        [{"topic": "orders", "partition": 1}],
    )
    assert shown["coordinator"] == cluster.coordinator_of("mine")
    assert (known["producer_id"], known["transaction_first_offset"]) == (shown["producer_id"], 0)


def test_what_is_not_there_is_named(http: Http) -> None:
    assert http.refused("GET", "/transactions/mien%2Fx")["status"] == 404
    problem = http.refused("GET", "/producers?topic=ordrs")
    assert (problem["status"], problem["near"]) == (404, ["orders"])
