"""Pictures over HTTP: what is in view, whatever the length of the log."""

import pytest

from mockbroker import Cluster
from tests.support.http import Http
from tests.support.seen_cluster import commit

PARTITION = "/pictures/topics/orders/partitions/0"


def test_a_picture_says_what_it_shows(cluster: Cluster, http: Http) -> None:
    for number in range(20):
        commit(cluster, f"txn-{number}")
    end = cluster.partition("orders", 0).log_end_offset
    whole = http.get(f"{PARTITION}?columns=60")
    assert whole["svg"].startswith("<svg")
    assert (whole["first_offset"], whole["end_offset"]) == (0, end)
    part = http.get(f"{PARTITION}?from=10&to=14")
    assert (part["first_offset"], part["end_offset"]) == (10, 14)
    assert (part["before"], part["after"]) == (10, end - 14)


def test_a_picture_of_an_empty_log_has_no_offsets(http: Http) -> None:
    view = http.get("/pictures/topics/orders/partitions/1")
    assert (view["first_offset"], view["end_offset"]) == (None, None)
    assert "no record" in view["svg"]


@pytest.mark.parametrize("columns", [0, 61])
def test_a_number_of_columns_that_cannot_be_is_refused(http: Http, columns: int) -> None:
    assert http.refused("GET", f"{PARTITION}?columns={columns}")["path"] == "$.columns"


@pytest.mark.parametrize("place", ["orders/partitions/9", "ordes/partitions/0"])
def test_a_partition_that_is_not_there_is_named(http: Http, place: str) -> None:
    assert http.refused("GET", f"/pictures/topics/{place}")["code"] == "not-found"
