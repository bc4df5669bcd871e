"""The session of a cluster over HTTP."""

from mockbroker import Cluster
from mockbroker.scenario import record
from tests.support.http import Http


def test_the_session_is_that_of_python() -> None:
    with Cluster(brokers=2, topics={"orders": 1}, admin_port=0) as cluster:
        Http(cluster).ask("POST", "/brokers/2/kill")
        cluster.clock.advance("1h")
        answer = Http(cluster).get("/scenario?waits=false")
        expected = record(cluster, waits=False)
    assert answer == {"scenario": expected.document, "left_out": []}
    assert answer["scenario"]["steps"] == [
        {"kill": {"broker": 2}},
        {"clock.advance": {"by": "1h"}},
    ]
