"""The ledger over HTTP."""

from collections.abc import Generator

import pytest

from mockbroker import Cluster
from mockbroker.wire import WireProducer
from tests.support.http import Http


@pytest.fixture
def cluster() -> Generator[Cluster]:
    with Cluster(topics={"orders": 1}, admin_port=0) as cluster:
        yield cluster


def test_the_ledger_is_shown_and_switched(cluster: Cluster, http: Http) -> None:
    off = {"is_on": False, "is_full": False, "rows": 0, "rows_max": 0}
    assert http.ask("PUT", "/ledger", {"on": False}).json == off
    assert http.get("/ledger") == off
    on = {"is_on": True, "is_full": False, "rows": 0, "rows_max": 1}
    assert http.ask("PUT", "/ledger", {"on": True, "rows_max": 1}).json == on
    with WireProducer(cluster.bootstrap_servers) as producer:
        for _ in range(2):
            producer.produce("orders", b"one", base_sequence=-1)
    assert http.get("/ledger") == on | {"is_full": True, "rows": 1}


def test_a_ledger_without_room_is_refused(http: Http) -> None:
    problem = http.refused("PUT", "/ledger", {"on": True, "rows_max": 0})
    assert (problem["status"], problem["path"]) == (422, "$.rows_max")
