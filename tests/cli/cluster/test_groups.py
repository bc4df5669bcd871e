"""`mockbroker groups`."""

import json
from collections.abc import Iterator

import pytest
from click.testing import CliRunner

from mockbroker import Cluster
from mockbroker.cli.commands import commands
from mockbroker.protocol.errors import ErrorCode
from tests.support.consumer_members import AT_ONCE, GROUP, ConsumerMember, two_members


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
