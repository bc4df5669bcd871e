"""Assertions about groups, in a running cluster."""

import pytest

from mockbroker import Cluster
from mockbroker.control.assertion_table import find_assertion
from mockbroker.control.assertions.failure import ClusterAssertionError
from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.group.consumer.consumer_group import ConsumerGroup
from tests.support.consumer_members import AT_ONCE, GROUP, ConsumerMember, two_members


def test_no_partition_has_two_owners() -> None:
    with Cluster(topics={"orders": 2}, config=AT_ONCE, journal=True) as cluster:
        with pytest.raises(LookupError, match="no member of a group 'readers'"):
            cluster.assert_no_partition_owned_twice(GROUP)
        one, two = two_members(cluster)
        cluster.group(GROUP).fence(one.member_id)
        assert one.beat() is ErrorCode.UNKNOWN_MEMBER_ID
        one.join()
        for member in (two, two, one):
            member.beat()
        cluster.move_coordinator(group=GROUP)
        one.leave()
        two.beat()
        assert two.owned == [0, 1]
        cluster.assert_no_partition_owned_twice(GROUP)


def test_a_partition_with_two_owners_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    with Cluster(topics={"orders": 2}, config=AT_ONCE, journal=True) as cluster:
        one, two = ConsumerMember(cluster, "a"), ConsumerMember(cluster, "b")
        one.join()
        monkeypatch.setattr(ConsumerGroup, "is_owned", lambda *_: False)
        two.join()
        assert (one.owned, len(two.owned)) == ([0, 1], 1)
        with pytest.raises(ClusterAssertionError) as failed:
            cluster.assert_no_partition_owned_twice(GROUP)
        (found,) = failed.value.findings
        assert (found.rule, found.topic, found.partition) == ("OWNED_TWICE", "orders", *two.owned)
        assert "two members owned a partition" in str(failed.value)
        with pytest.raises(AssertionError, match="owned by 'a'"):
            find_assertion("no-partition-owned-twice").check(cluster, {"group": GROUP})


def test_the_journal_has_to_be_on() -> None:
    with Cluster() as cluster, pytest.raises(RuntimeError, match="journal"):
        cluster.assert_no_partition_owned_twice(GROUP)
