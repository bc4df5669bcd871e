"""`mockbroker groups`."""

import json
from collections.abc import Iterator

import pytest
from click.testing import CliRunner

from mockbroker import Cluster
from mockbroker.cli.commands import commands
from mockbroker.protocol.errors import ErrorCode
from tests.support.consumer_members import AT_ONCE, GROUP, ConsumerMember, two_members
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


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    config = AT_ONCE
    with Cluster(topics={"orders": 2}, config=config, admin_port=0, journal=True) as running:
        yield running


def text(cluster: Cluster, *words: str, code: int = 0) -> str:
    result = CliRunner().invoke(commands, (*words, "--admin", cluster.admin_url))
    assert result.exit_code == code, result.output
    return result.output


def test_groups_are_listed_and_shown(cluster: Cluster) -> None:
    assert text(cluster, "groups") == "no groups\n"
    two_members(cluster)
    _, row = text(cluster, "groups").splitlines()
    assert row.split() == [GROUP, "consumer", "Stable", "3", "3", "1", "2"]
    shown = text(cluster, "groups", "show", GROUP).splitlines()
    assert shown[:3] == [*text(cluster, "groups", "list").splitlines(), ""]
    assert shown[4].split() == ["a", "3", "STABLE", "orders:0", "orders:0"]
    document = json.loads(text(cluster, "groups", "show", GROUP, "--json"))
    assert [each["member_id"] for each in document["members"]] == ["a", "b"]
    assert "did you mean readers?" in text(cluster, "groups", "show", "reader", code=2)


def test_a_group_rebalances(cluster: Cluster) -> None:
    one, _ = two_members(cluster)
    before = one.epoch
    assert text(cluster, "groups", "rebalance", GROUP) == "readers is Assigning\n"
    one.beat()
    assert one.epoch == before + 1


def test_a_member_is_fenced(cluster: Cluster) -> None:
    one, two = two_members(cluster)
    assert text(cluster, "groups", "fence", GROUP, "a") == "a is no longer in readers\n"
    assert one.beat() is ErrorCode.UNKNOWN_MEMBER_ID
    two.leave()
    (row,) = text(cluster, "groups", "show", GROUP).splitlines()[1:]
    assert row.split()[2] == "Empty"


def test_members_are_held_step_and_are_released(cluster: Cluster) -> None:
    assert text(cluster, "groups", "hold", GROUP) == "the members of readers are held\n"
    one = ConsumerMember(cluster, "a")
    one.join()
    assert text(cluster, "groups").split()[-1] == "held"
    stepping = text(cluster, "groups", "step", GROUP, "a")
    assert stepping == "a takes a step in its next heartbeat\n"
    one.beat()
    assert one.owned == [0, 1]
    assert text(cluster, "groups", "release", GROUP) == "the members of readers are not held\n"
    assert text(cluster, "groups").split()[-1] != "held"
    text(cluster, "assert", f"no-partition-owned-twice:group={GROUP}")


# Share groups


def test_the_records_of_a_share_group_are_shown_and_its_locks_expire() -> None:
    with (
        Cluster(brokers=2, topics={"orders": 2}, config=SHARED_AT_ONCE, admin_port=0) as cluster,
        joined(cluster) as member,
    ):
        set_up(cluster)
        store(cluster, 3)
        member.fetch(records_max=2)
        titles, *rows = text(cluster, "groups", "share-partitions", SHARERS).splitlines()
        assert titles.split()[3:6] == ["START", "OFFSETS", "STATE"]
        places = [[row.split()[i] for i in (0, 3, 4, 5, 6, 7)] for row in rows]
        assert places == [
            ["orders:0", "0", "0-1", "ACQUIRED", "1", "a"],
            ["orders:0", "0", "2-2", "AVAILABLE", "0", "-"],
            ["orders:1", "-1", "-", "-", "-", "-"],
        ]
        expired = text(cluster, "groups", "expire-locks", SHARERS, "orders:0", "--member", "a")
        assert expired == "the locks of 2 records have expired\n"
        expired = text(cluster, "groups", "expire-locks", SHARERS)
        assert expired == "the locks of 0 records have expired\n"
        place = ("groups", "move-share-coordinator", SHARERS, "orders:0")
        moved = text(cluster, *place, "--to", "2")
        assert moved == f"broker 2 stores the state of orders:0 for {SHARERS}\n"


def test_a_share_group_without_topics_has_no_share_partitions() -> None:
    with (
        Cluster(config=SHARED_AT_ONCE, admin_port=0) as cluster,
        joined(cluster),
    ):
        shown = text(cluster, "groups", "share-partitions", SHARERS)
        assert shown == "no share partitions\n"


def test_dead_letters_are_held_step_and_are_released() -> None:
    config = CREATES_DEAD_LETTERS
    with Cluster(topics={"orders": 1}, config=config, admin_port=0) as cluster:
        set_up(cluster, HAS_DEAD_LETTERS)
        store(cluster, 1)
        held = text(cluster, "groups", "hold-dead-letters", SHARERS)
        assert held == "the dead letters of sharers are held\n"
        with joined(cluster) as member:
            member.fetch()
            member.acknowledge(0, 0, (REJECT,))
        letter = "WriteDeadLetters sharers orders-0 0-0\n"
        assert text(cluster, "groups", "dead-letters", SHARERS) == letter
        assert text(cluster, "groups", "step-dead-letters", SHARERS) == letter
        released = text(cluster, "groups", "release-dead-letters", SHARERS)
        assert released == "the dead letters of sharers are not held\n"
        assert len(cluster.records(DEAD_LETTERS)) == 1
        for command in ("dead-letters", "step-dead-letters"):
            assert text(cluster, "groups", command, SHARERS) == "no dead letters wait\n"
