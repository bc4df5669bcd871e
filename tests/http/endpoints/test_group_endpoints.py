"""Groups over HTTP."""

from collections.abc import Iterator

import pytest

from mockbroker import Cluster
from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.group.consumer.consumer_group import ConsumerGroup
from tests.support.consumer_members import AT_ONCE, GROUP, ConsumerMember, two_members
from tests.support.http import Http

URL = f"/groups/{GROUP}"


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(topics={"orders": 2}, config=AT_ONCE, admin_port=0) as running:
        yield running


def test_groups_are_listed_and_shown(cluster: Cluster, http: Http) -> None:
    assert http.get("/groups") == {"groups": []}
    two_members(cluster)
    shown = http.get(URL)
    assert http.get("/groups") == {"groups": [shown]}
    assert shown["members"][0]["assigned"] == [{"topic": "orders", "partition": 0}]
    problem = http.refused("GET", "/groups/reader%2Fs")
    assert (problem["status"], problem["near"]) == (404, [GROUP])


def test_a_member_is_fenced(cluster: Cluster, http: Http) -> None:
    one, _ = two_members(cluster)
    shown = http.post(f"{URL}/fence", {"member_id": "a"})
    assert [each["member_id"] for each in shown["members"]] == ["b"]
    assert one.beat() is ErrorCode.UNKNOWN_MEMBER_ID
    problem = http.refused("POST", f"{URL}/fence", {"member_id": "a"})
    assert (problem["status"], "no member 'a'" in problem["detail"]) == (404, True)


def test_members_are_held_step_and_are_released(cluster: Cluster, http: Http) -> None:
    assert http.ask("POST", f"{URL}/hold-reconciliation").status == 204
    assert http.refused("POST", f"{URL}/step", {"member_id": "a"})["status"] == 404
    one = ConsumerMember(cluster, "a")
    one.join()
    assert (http.get(URL)["is_held"], one.owned) == (True, [])
    assert http.ask("POST", f"{URL}/step", {"member_id": "a"}).status == 204
    one.beat()
    assert one.owned == [0, 1]
    assert http.ask("POST", f"{URL}/release").status == 204
    assert http.get(URL)["is_held"] is False
    problem = http.refused("POST", f"{URL}/step", {"member_id": "a"})
    assert (problem["status"], "is not held" in problem["detail"]) == (422, True)


def test_an_assertion_about_a_group_is_checked(
    cluster: Cluster, http: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.journal.start()
    two_members(cluster)
    row = {"name": "no_partition_owned_twice", "arguments": {"group": GROUP}}
    assert http.post("/assertions", {"assertions": [row]}) == {"ok": True, "failures": []}
    monkeypatch.setattr(ConsumerGroup, "is_owned", lambda *_: False)
    cluster.group(GROUP).fence("b")
    ConsumerMember(cluster, "a").join()
    ConsumerMember(cluster, "b").join()
    (failure,) = http.post("/assertions", {"assertions": [row]})["failures"]
    assert "was owned by 'a'" in failure["text"]
