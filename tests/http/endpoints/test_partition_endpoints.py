"""Control of partitions over HTTP."""

from mockbroker import Cluster
from mockbroker.protocol.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from mockbroker.protocol.records.batch import build_batch
from mockbroker.protocol.records.record import Record
from mockbroker.wire import WireClient, WireProducer
from tests.support.http import Http

PATH = "/topics/orders/partitions/0"


def test_a_leader_is_elected(cluster: Cluster, http: Http) -> None:
    partition = cluster.partition("orders", 0)
    (other,) = {1, 2} - {partition.leader}
    order: dict[str, object] = {
        "topic": "orders",
        "partition": 0,
        "to": other,
        "producer_state": "none",
    }
    assert http.post("/elect", order) == {"leader": other}
    assert partition.leader == other
    problem = http.refused("POST", "/elect", order | {"to": 7})
    assert (problem["status"], problem["code"]) == (422, "invalid")
    problem = http.refused("POST", "/elect", order | {"producer_state": "some"})
    assert problem["path"] == "$.producer_state"
    assert http.refused("POST", "/elect", order | {"topic": "ordrs"})["near"] == ["orders"]
    assert http.refused("POST", "/elect", order | {"partition": 9})["status"] == 404


def test_a_replica_lags_leaves_and_comes_back() -> None:
    with Cluster(
        brokers=2,
        topics={"orders": 1},
        config={"default.replication.factor": "2"},
        admin_port=0,
    ) as cluster:
        http, partition = Http(cluster), cluster.partition("orders", 0)
        (follower,) = set(partition.replicas) - {partition.leader}
        assert http.post(f"{PATH}/lag", {"broker": follower})["in_sync_replicas"] == [1, 2]
        lost = http.post(f"{PATH}/lose-replica", {"broker": follower})
        assert lost["in_sync_replicas"] == [partition.leader]
        back = http.post(f"{PATH}/catch-up")
        assert sorted(back["in_sync_replicas"]) == [1, 2]
        problem = http.refused("POST", f"{PATH}/lag", {"broker": partition.leader})
        assert problem["status"] == 422


def test_a_tail_is_lost(cluster: Cluster, http: Http) -> None:
    with WireProducer(cluster.bootstrap_servers, "mine") as producer:
        producer.init_producer_id()
        producer.add_partition("orders")
        producer.produce("orders", b"one", base_sequence=0)
    end = http.get(PATH)["log_end_offset"]
    assert http.post(f"{PATH}/lose-tail", {"records": 1})["log_end_offset"] == end - 1
    assert http.refused("POST", f"{PATH}/lose-tail", {"records": 0})["status"] == 422
    assert http.refused("POST", "/topics/ordrs/partitions/0/lose-tail")["near"] == ["orders"]


def test_a_log_start_moves_and_a_producer_is_forgotten() -> None:
    with Cluster(topics={"orders": 1}, admin_port=0) as cluster:
        http = Http(cluster)
        with WireProducer(cluster.bootstrap_servers, "mine") as producer:
            producer.init_producer_id()
            producer.add_partition("orders")
            producer.produce("orders", b"one", base_sequence=0)
            producer.commit()
        assert http.post(f"{PATH}/move-log-start", {"to": 1})["log_start_offset"] == 1
        order = {"producer_id": producer.producer_id}
        assert http.post(f"{PATH}/forget-producer", order) == {"was_known": True}
        assert http.post(f"{PATH}/forget-producer", order) == {"was_known": False}


def test_a_topic_is_recreated() -> None:
    with Cluster(topics={"orders": 1}, admin_port=0) as cluster:
        http = Http(cluster)
        before = http.get("/topics/orders")
        after = http.post("/topics/orders/recreate", {"partitions": 2})
        assert after["topic_id"] != before["topic_id"]
        assert len(after["partitions"]) == 2
        assert http.refused("POST", "/topics/ordrs/recreate")["near"] == ["orders"]


def test_a_log_is_compacted() -> None:
    config = {"log.cleanup.policy": "compact"}
    with Cluster(topics={"prices": 1}, config=config, admin_port=0) as cluster:
        http, path = Http(cluster), "/topics/prices/partitions/0/compact"
        records = [
            Record(offset=offset, timestamp=0, key=b"bread", value=b"%d" % offset)
            for offset in range(3)
        ]
        data = PartitionProduceData(index=0, records=build_batch(records))
        asked = ProduceRequest(
            acks=-1,
            timeout_ms=1000,
            topic_data=[TopicProduceData(name="prices", partition_data=[data])],
        )
        with WireClient(cluster.bootstrap_servers) as client:
            client.ask(asked, 9, ProduceResponse)
        assert http.post(path) == {"removed": 2}
        assert http.post(path) == {"removed": 0}
        assert http.refused("POST", "/topics/price/partitions/0/compact")["near"] == ["prices"]


def test_a_log_without_the_policy_compact_is_not_compacted(cluster: Cluster, http: Http) -> None:
    problem = http.refused("POST", f"{PATH}/compact")
    assert (problem["status"], problem["code"]) == (422, "invalid")
