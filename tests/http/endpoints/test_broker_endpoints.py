"""Brokers and coordinators over HTTP."""

from mockbroker import Cluster
from mockbroker.wire import WireProducer
from tests.support.http import Http


def test_brokers_are_listed_with_their_addresses(cluster: Cluster, http: Http) -> None:
    brokers = http.get("/brokers")["brokers"]
    assert [broker["id"] for broker in brokers] == [1, 2]
    addresses = [f"{broker['host']}:{broker['port']}" for broker in brokers]
    assert ",".join(addresses) == cluster.bootstrap_servers
    assert [broker["is_controller"] for broker in brokers] == [True, False]


def test_a_coordinator_moves(cluster: Cluster, http: Http) -> None:
    problem = http.refused("GET", "/coordinators?group=readers")
    assert (problem["status"], "no partition" in problem["detail"]) == (404, True)
    with WireProducer(cluster.bootstrap_servers, "mine") as producer:
        producer.init_producer_id()
    before = http.get("/coordinators?transactional_id=mine")["broker"]
    after = http.post("/coordinators/move", {"transactional_id": "mine"})["broker"]
    assert {before, after} == {1, 2}
    assert cluster.coordinator_of("mine") == after
    assert http.refused("POST", "/coordinators/move", {})["status"] == 422


def test_a_broker_stops_lags_and_catches_up(cluster: Cluster, http: Http) -> None:
    (_, stopped) = http.post("/brokers/2/stop")["brokers"]
    assert (stopped["state"], stopped["leads"]) == ("stopped", 0)
    assert http.refused("POST", "/brokers/2/stop")["status"] == 409
    started = http.post("/brokers/2/start", {"producer_snapshot": "none"})["brokers"]
    assert started[1]["state"] == "running"
    problem = http.refused("POST", "/brokers/2/start", {"producer_snapshot": "some"})
    assert problem["path"] == "$.producer_snapshot"
    http.post("/brokers/2/lag")
    assert cluster.look(lambda state, _now_ms: set(state.lagging)) == {2}
    http.post("/brokers/2/catch-up")
    assert not cluster.look(lambda state, _now_ms: set(state.lagging))
    assert http.refused("POST", "/brokers/9/lag")["status"] == 404


def test_a_broker_is_killed_and_started_again(cluster: Cluster, http: Http) -> None:
    (_, killed) = http.post("/brokers/2/kill")["brokers"]
    assert (killed["id"], killed["state"], killed["leads"]) == (2, "killed", 0)
    problem = http.refused("POST", "/brokers/2/kill")
    assert (problem["status"], problem["detail"]) == (409, "broker 2 is killed, not running")
    assert http.post("/brokers/2/start")["brokers"][1]["state"] == "running"
    assert [broker.state for broker in cluster.brokers] == ["running", "running"]
    assert http.refused("POST", "/brokers/9/kill")["status"] == 404


def test_a_broker_is_cut_off_and_taken_back(cluster: Cluster, http: Http) -> None:
    (_, isolated) = http.post("/brokers/2/isolate")["brokers"]
    assert (isolated["state"], isolated["leads"]) == ("isolated", 0)
    assert http.refused("POST", "/brokers/2/isolate")["status"] == 409
    assert http.post("/brokers/2/rejoin")["brokers"][1]["state"] == "running"
    assert http.refused("POST", "/brokers/2/rejoin")["status"] == 409
    assert [broker.state for broker in cluster.brokers] == ["running", "running"]


def test_crashed_brokers_lose_unflushed_records() -> None:
    with Cluster(topics={"orders": 1}, admin_port=0) as cluster:
        http = Http(cluster)
        with WireProducer(cluster.bootstrap_servers, "mine") as producer:
            producer.init_producer_id()
            producer.add_partition("orders")
            producer.produce("orders", b"kept", base_sequence=0)
            assert http.ask("POST", "/flush").status == 204
            producer.produce("orders", b"lost", base_sequence=1)
        http.post("/crash")
        assert cluster.partition("orders", 0).log_end_offset == 1
        assert http.refused("POST", "/crash", {"broker": 9})["status"] == 404
