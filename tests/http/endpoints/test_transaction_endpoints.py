"""Producers and transactions over HTTP."""

from mockbroker import Cluster
from mockbroker.protocol.errors import ErrorCode
from mockbroker.wire import WireProducer
from tests.support.http import Http


def test_a_transaction_is_shown_by_its_coordinator_and_its_partitions() -> None:
    with (
        Cluster(topics={"orders": 2}, admin_port=0) as cluster,
        WireProducer(cluster.bootstrap_servers, "mine") as producer,
    ):
        http = Http(cluster)
        producer.init_producer_id()
        producer.add_partition("orders", 1)
        producer.produce("orders", b"one", base_sequence=0, index=1)
        shown = http.get("/transactions/mine")
        (known,) = http.get("/producers")["producers"]
        assert http.get("/producers?topic=orders&partition=1")["producers"] == [known]
        assert http.get("/producers?partition=0")["producers"] == []
        assert http.get("/transactions") == {"transactions": [shown]}
        assert http.get("/hanging") == {"hanging": []}
        assert shown["coordinator"] == cluster.coordinator_of("mine")
    assert (shown["state"], shown["partitions"]) == (
        "Ongoing",
        [{"topic": "orders", "partition": 1}],
    )
    assert (known["producer_id"], known["transaction_first_offset"]) == (shown["producer_id"], 0)


def test_missing_transactional_ids_and_topics_are_named(http: Http) -> None:
    assert http.refused("GET", "/transactions/mien%2Fx")["status"] == 404
    problem = http.refused("GET", "/producers?topic=ordrs")
    assert (problem["status"], problem["near"]) == (404, ["orders"])


def begun(cluster: Cluster, transactional_id: str) -> WireProducer:
    producer = WireProducer(cluster.bootstrap_servers, transactional_id)
    producer.init_producer_id()
    for index in (0, 1):
        assert producer.add_partition("orders", index) is ErrorCode.NONE
    return producer


def test_a_transaction_is_aborted_without_its_producer(cluster: Cluster, http: Http) -> None:
    with begun(cluster, "slow") as producer:
        shown = http.post("/transactions/slow/abort")
        assert shown["state"] in {"PrepareAbort", "CompleteAbort"}
        assert http.get("/transactions/slow")["producer_epoch"] > 0
        problem = http.refused("POST", "/transactions/slow/abort")
        assert (problem["status"], problem["kafka_error"]) == (409, "INVALID_TXN_STATE")
        assert producer.commit() is not ErrorCode.NONE


def test_a_held_ending_is_done_step_by_step(cluster: Cluster, http: Http) -> None:
    with begun(cluster, "glass") as producer:
        assert http.ask("POST", "/transactions/glass/hold-ending", {}).status == 204
        assert producer.commit() is ErrorCode.NONE
        assert http.get("/transactions/glass")["state"] == "PrepareCommit"
        assert http.post("/transactions/glass/step")["done"] is not None
        assert http.ask("POST", "/transactions/glass/release").status == 204
        assert http.get("/transactions/glass")["state"] == "CompleteCommit"
        assert http.post("/transactions/glass/step") == {"done": None}
    problem = http.refused("POST", "/transactions/glass/hold-ending", {"topic": "orders"})
    assert problem["status"] == 422


def test_a_transactional_id_is_expired_on_demand(cluster: Cluster, http: Http) -> None:
    with WireProducer(cluster.bootstrap_servers, "idle") as producer:
        producer.init_producer_id()
    assert http.ask("POST", "/transactions/idle/expire").status == 204
    problem = http.refused("POST", "/transactions/idle/expire")
    assert problem["status"] == 404


def test_markers_are_delayed_by_a_time_of_the_clusters_clock() -> None:
    with Cluster(topics={"orders": 2}, clock="manual", admin_port=0) as cluster:
        http = Http(cluster)
        delay = {"by": "20ms", "probability": 1.0}
        assert http.ask("PUT", "/marker-delay", delay).json == delay
        with begun(cluster, "slow") as producer:
            assert producer.commit() is ErrorCode.NONE
            assert producer.add_partition("orders") is ErrorCode.CONCURRENT_TRANSACTIONS
            http.post("/clock/advance", {"by": "20ms"})
            assert producer.add_partition("orders") is ErrorCode.NONE


def test_a_delay_without_a_time_or_a_probability_is_refused(http: Http) -> None:
    for delay in ({"by": "soon"}, {"by": "20ms", "probability": 0}):
        assert http.refused("PUT", "/marker-delay", delay)["status"] == 422
