"""Groups over HTTP."""

from collections.abc import Iterator

import pytest

from mockbroker import Cluster
from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.group.consumer.consumer_group import ConsumerGroup
from tests.support.consumer_members import AT_ONCE, GROUP, ConsumerMember, two_members
from tests.support.http import Http
from tests.support.share_members import AT_ONCE as SHARED_AT_ONCE
from tests.support.share_members import (
    CREATES_DEAD_LETTERS,
    DEAD_LETTERS,
    HAS_DEAD_LETTERS,
    REJECT,
    SHARERS,
    joined,
    set_up,
    store,
)

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


def test_a_group_rebalances(cluster: Cluster, http: Http) -> None:
    assert http.refused("POST", f"{URL}/rebalance")["status"] == 404
    two_members(cluster)
    before = http.get(URL)["group_epoch"]
    assert http.post(f"{URL}/rebalance")["group_epoch"] == before + 1


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
    assert http.post("/assertions", {"assertions": [row]}) == {
        "ok": True,
        "failures": [],
        "nothing_judged": [],
    }
    monkeypatch.setattr(ConsumerGroup, "is_owned", lambda *_: False)
    cluster.group(GROUP).fence("b")
    ConsumerMember(cluster, "a").join()
    ConsumerMember(cluster, "b").join()
    (failure,) = http.post("/assertions", {"assertions": [row]})["failures"]
    assert "was owned by 'a'" in failure["text"]


# Share groups


def test_the_records_of_a_share_group_are_shown_and_its_locks_expire() -> None:
    with (
        Cluster(brokers=2, topics={"orders": 1}, config=SHARED_AT_ONCE, admin_port=0) as cluster,
        joined(cluster) as member,
    ):
        http, url = Http(cluster.admin_url), f"/groups/{SHARERS}"
        set_up(cluster)
        store(cluster, 3)
        member.fetch(records_max=2)
        (shown,) = http.get(f"{url}/share-partitions")["share_partitions"]
        first, second = shown.pop("in_flight")
        assert (first["last_offset"], first["state"], first["member_id"]) == (1, "ACQUIRED", "a")
        assert first["lock_expires_ms"] == cluster.group(SHARERS).acquired[0].lock_expires_ms
        assert (second["first_offset"], second["state"], second["member_id"]) == (
            2,
            "AVAILABLE",
            None,
        )
        assert (shown["is_loaded"], shown["start_offset"], shown["end_offset"]) == (True, 0, 2)
        move = {"topic": "orders", "partition": 0}
        moved = http.post(f"{url}/move-share-coordinator", move)
        assert moved["broker"] != shown["share_coordinator"]
        assert http.post(f"{url}/expire-locks", {"member_id": "b"}) == {"records": 0}
        assert http.post(f"{url}/expire-locks", {"topic": "orders"}) == {"records": 2}
        assert http.post(f"{url}/expire-locks", {}) == {"records": 0}
        problem = http.refused("POST", f"{url}/expire-locks", {"topic": "others"})
        assert (problem["status"], "no share partition others" in problem["detail"]) == (404, True)


def test_dead_letters_are_held_step_and_are_released() -> None:
    config = CREATES_DEAD_LETTERS
    with Cluster(topics={"orders": 1}, config=config, admin_port=0) as cluster:
        http, url = Http(cluster.admin_url), f"/groups/{SHARERS}"
        set_up(cluster, HAS_DEAD_LETTERS)
        store(cluster, 1)
        assert http.ask("POST", f"{url}/hold-dead-letters").status == 204
        with joined(cluster) as member:
            member.fetch()
            member.acknowledge(0, 0, (REJECT,))
        letter = f"WriteDeadLetters {SHARERS} orders-0 0-0"
        assert http.get(f"{url}/dead-letters") == {"waiting": [letter]}
        assert http.post(f"{url}/step-dead-letters") == {"done": letter}
        assert http.ask("POST", f"{url}/release-dead-letters").status == 204
        assert http.post(f"{url}/step-dead-letters") == {"done": None}
        assert len(cluster.records(DEAD_LETTERS)) == 1


def test_other_groups_have_no_share_partitions(cluster: Cluster, http: Http) -> None:
    two_members(cluster)
    problem = http.refused("GET", f"{URL}/share-partitions")
    assert (problem["status"], "not a share group" in problem["detail"]) == (422, True)
