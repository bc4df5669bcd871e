"""Replicas over HTTP."""

from mockbroker import Cluster
from mockbroker.wire import WireProducer
from tests.support.http import Http

PATH = "/topics/orders/partitions/0/replicas"


def test_replicas_are_listed_and_differ() -> None:
    config = {"default.replication.factor": "2"}
    with (
        Cluster(brokers=2, topics={"orders": 1}, config=config, admin_port=0) as cluster,
        WireProducer(cluster.bootstrap_servers) as producer,
    ):
        http, partition = Http(cluster), cluster.partition("orders", 0)
        partition.elect(1)
        producer.init_producer_id()
        for sequence in (0, 1):
            producer.produce("orders", b"x", base_sequence=sequence)
        first, second = http.get(PATH)["replicas"]
        assert {**first, "broker": second["broker"]} == second
        assert (first["log_end_offset"], first["leader_epochs"]) == (
            2,
            [{"leader_epoch": 1, "start_offset": 0}],
        )
        http.post(f"{PATH}/2/hold-offsets")
        producer.produce("orders", b"x", base_sequence=2)
        (held,) = [each for each in http.get(PATH)["replicas"] if each["broker"] == 2]
        assert (held["high_watermark"], held["log_end_offset"]) == (2, 3)
        assert http.post(f"{PATH}/2/release-offsets")["high_watermark"] == 3
        assert http.post(f"{PATH}/2/move-log-start", {"to": 1})["log_start_offset"] == 1
        assert len(http.post(f"{PATH}/2/reload-producers", {"snapshot": "stale"})["producers"]) == 1
        order = {"producer_id": producer.producer_id}
        assert http.post(f"{PATH}/2/forget-producer", order) == {"was_known": True}
        assert http.post(f"{PATH}/2/forget-producer", order) == {"was_known": False}
        assert http.refused("POST", f"{PATH}/1/hold-offsets")["status"] == 422
        assert http.refused("POST", f"{PATH}/7/hold-offsets")["status"] == 404
        assert http.refused("GET", "/topics/ordrs/partitions/0/replicas")["near"] == ["orders"]
