"""The cluster as a whole over HTTP."""

from mockbroker import Cluster
from mockbroker.protocol.messages.metadata import MetadataResponse
from mockbroker.wire import WireClient
from tests.support.http import Http
from tests.support.requests import metadata


def test_the_state_shows_everything_at_once(cluster: Cluster, http: Http) -> None:
    http.post("/faults", {"id": "r", "effect": {"observe": True}})
    state = http.get("/state")
    assert set(state) == {"cluster", "brokers", "topics", "transactions", "hanging", "faults"}
    assert state["cluster"]["bootstrap_servers"] == cluster.bootstrap_servers
    assert state["cluster"]["kafka"] == "4.4"
    assert [rule["id"] for rule in state["faults"]] == ["r"]
    assert state["topics"] == http.get("/topics")["topics"]


def test_another_address_is_advertised() -> None:
    with Cluster(brokers=2, admin_port=0) as cluster:
        http, servers = Http(cluster), cluster.bootstrap_servers
        (listener,) = http.get("/listeners")["listeners"]
        assert listener == http.get("/listeners/PLAINTEXT")
        answer = http.ask("PUT", "/listeners/PLAINTEXT", {"advertised": "mapped.example:32000"})
        assert [(each["host"], each["port"]) for each in answer.json["advertised"]] == [
            ("mapped.example", 32000),
            ("mapped.example", 32001),
        ]
        http.ask("PUT", "/listeners/PLAINTEXT", {"advertised": "[::1]:7", "broker": 2})
        with WireClient(servers) as client:
            brokers = client.ask(metadata(), 12, MetadataResponse).brokers
        assert [(each.host, each.port) for each in brokers] == [
            ("mapped.example", 32000),
            ("::1", 7),
        ]


def test_an_invalid_address_is_refused(http: Http) -> None:
    before = http.get("/listeners")
    for address in ("nowhere", "host:", ":9", "host:0", "host:70000"):
        problem = http.refused("PUT", "/listeners/PLAINTEXT", {"advertised": address})
        assert problem["status"] == 422
    problem = http.refused("PUT", "/listeners/PLAINTEXT", {"advertised": "h:1", "broker": 9})
    assert (problem["status"], problem["detail"]) == (
        404,
        "there is no broker 9; the brokers are 1, 2",
    )
    problem = http.refused("GET", "/listeners/PLAINTXT")
    assert (problem["status"], problem["near"]) == (404, ["PLAINTEXT"])
    assert http.get("/listeners") == before


def test_the_authority_of_a_cluster_with_tls_is_shown(http: Http) -> None:
    with Cluster(tls=True, admin_port=0) as cluster:
        assert Http(cluster).get("/tls") == {"ca_pem": cluster.ca_pem}
    problem = http.refused("GET", "/tls")
    assert (problem["status"], problem["code"]) == (404, "not-found")


def test_a_cluster_of_a_test_is_stopped_by_the_test(http: Http) -> None:
    problem = http.refused("POST", "/shutdown")
    assert (problem["status"], problem["code"]) == (409, "conflict")


def test_a_reset_restores_the_seed_and_removes_faults() -> None:
    with Cluster(topics={"orders": 1}, admin_port=0) as cluster:
        http = Http(cluster)
        http.post("/faults", {"id": "r", "effect": {"observe": True}})
        assert http.post("/seed", {"seed": 42}) == {"seed": 42}
        assert http.get("/state")["cluster"]["seed"] == 42
        assert http.ask("POST", "/reset").status == 204
        state = http.get("/state")
    assert (state["cluster"]["seed"], state["faults"]) == (0, [])
