"""Assertions about groups, in a running cluster."""

from collections.abc import Iterator
from typing import Any

import pytest

from mockbroker import Cluster
from mockbroker.control.assertion_table import find_assertion
from mockbroker.control.assertions.failure import ClusterAssertionError
from mockbroker.protocol.errors import ErrorCode
from mockbroker.state.group.consumer.consumer_group import ConsumerGroup
from mockbroker.state.share import share_partitions
from mockbroker.state.share.in_flight_state import InFlightState
from mockbroker.state.share.record_state import RecordState
from tests.support import share_members
from tests.support.consumer_members import AT_ONCE, GROUP, ConsumerMember, two_members
from tests.support.share_members import ACCEPT, EARLIEST, REJECT, RELEASE, SHARERS, store


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


@pytest.fixture
def shared() -> Iterator[Cluster]:
    """Run a cluster with four records for a share group that delivers twice at most."""
    config = share_members.AT_ONCE
    with Cluster(topics={"orders": 1}, config=config, journal=True, clock="manual") as cluster:
        share_members.set_up(cluster, {**EARLIEST, "share.delivery.count.limit": "2"})
        store(cluster, 4)
        yield cluster


def refusals(cluster: Cluster) -> list[str]:
    """Return what the check of acknowledgements reports."""
    with pytest.raises(ClusterAssertionError) as failed:
        cluster.assert_each_record_acknowledged_once(SHARERS)
    return [each.text for each in failed.value.findings]


def test_each_record_of_a_share_group_is_acknowledged_once(shared: Cluster) -> None:
    with share_members.joined(shared) as member:
        assert member.fetch() == [(0, 3, 1)]
        member.acknowledge(0, 3, [ACCEPT, REJECT, RELEASE, ACCEPT])
        (found,) = refusals(shared)
        assert found.startswith("orders-0: offset 2 was delivered once, and released or expired")
        assert member.fetch() == [(2, 2, 2)]
        member.acknowledge(2, 2)
    shared.assert_each_record_acknowledged_once(SHARERS)
    shared.assert_no_record_delivered_beyond_limit(SHARERS)


def test_records_without_an_acknowledgement_are_found(shared: Cluster) -> None:
    with share_members.joined(shared) as member:
        for delivery in (1, 2):
            assert member.fetch(records_max=1) == [(0, 0, delivery)]
            member.acknowledge(0, 0, [RELEASE])
        assert member.fetch(records_max=1) == [(1, 1, 1)]
        archived, held, new = refusals(shared)
        assert archived.startswith("orders-0: offset 0 was delivered 2 times, which is the limit")
        assert held.startswith("orders-0: offset 1 was delivered once, and not acknowledged: 'a'")
        assert new == f"orders-0: offsets 2 to 3 were never delivered (group {SHARERS!r})"
    shared.assert_no_record_delivered_beyond_limit(SHARERS)
    with pytest.raises(AssertionError, match="offsets 2 to 3 were never delivered"):
        find_assertion("each-record-acknowledged-once").check(shared, {"group": SHARERS})


def test_a_record_that_is_delivered_after_its_acknowledgement_is_found(
    shared: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    with share_members.joined(shared) as member, monkeypatch.context() as planted:
        member.fetch()
        planted.setattr(share_partitions, "acknowledge", lambda share, *_: share.change([]))
        member.acknowledge(0, 3)
        shared.clock.advance("40s")
        planted.undo()
        assert member.fetch() == [(0, 3, 2)]
        member.acknowledge(0, 3)
    (found,) = refusals(shared)
    assert found.startswith("orders-0: offsets 0 to 3 were delivered to 'a' after 'a' had accepted")


def test_a_delivery_beyond_the_limit_is_found(
    shared: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    release = InFlightState.release

    def release_without_limit(state: InFlightState, new_state: RecordState, *_: Any) -> bool:
        return release(state, new_state, 1 << 30)

    monkeypatch.setattr(InFlightState, "release", release_without_limit)
    with share_members.joined(shared) as member:
        for delivery in (1, 2, 3):
            assert member.fetch(records_max=1) == [(0, 0, delivery)]
            member.acknowledge(0, 0, [RELEASE])
    with pytest.raises(ClusterAssertionError, match=r"delivered 3 times.*the limit is 2"):
        shared.assert_no_record_delivered_beyond_limit(SHARERS)
    with pytest.raises(AssertionError, match="too often"):
        find_assertion("no-record-delivered-beyond-limit").check(shared, {"group": SHARERS})


def test_a_share_group_without_deliveries_is_an_error(shared: Cluster) -> None:
    for check in (
        shared.assert_each_record_acknowledged_once,
        shared.assert_no_record_delivered_beyond_limit,
    ):
        with pytest.raises(LookupError, match="no member of a share group 'others'"):
            check("others")
