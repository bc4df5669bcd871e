"""The programs that make the golden journals of groups."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Final
from unittest.mock import patch

from mockbroker import Cluster
from mockbroker.journal.entry import Entry
from mockbroker.state.group.consumer.consumer_group import ConsumerGroup
from mockbroker.state.share import share_partitions
from mockbroker.state.share.in_flight_state import InFlightState
from mockbroker.state.share.record_state import RecordState
from tests.audit.golden.making import Producer, check, replaced, running
from tests.support import share_members
from tests.support.consumer_members import AT_ONCE, ConsumerMember
from tests.support.share_members import EARLIEST, RELEASE, ShareMember

RELEASE_RECORDS: Final = InFlightState.release


def owned_twice(breaks: bool) -> list[Entry]:
    """A member is given a partition that another one has not given up, or waits for it."""
    bug = replaced(ConsumerGroup, "is_owned", lambda *_: False) if breaks else nullcontext()
    with running(partitions="2", **AT_ONCE) as cluster, bug:
        one, two = ConsumerMember(cluster, "a"), ConsumerMember(cluster, "b")
        check(one.join(), two.join(), one.beat(), one.beat(), two.beat())
        assert (one.owned, two.owned) == ([0], [1])
        return cluster.journal.entries()


@contextmanager
def _shared(bug: AbstractContextManager[object]) -> Iterator[tuple[Cluster, ShareMember]]:
    """Run a cluster with two records and a member of a share group, and with a bug."""
    with (
        running(**share_members.AT_ONCE) as cluster,
        Producer(cluster.bootstrap_servers) as producer,
    ):
        share_members.set_up(cluster, {**EARLIEST, "share.delivery.count.limit": "2"})
        check(*(producer.send(-1) for _ in range(2)))
        with bug, share_members.joined(cluster) as member:
            yield cluster, member


def _without_limit(state: InFlightState, new_state: RecordState, *_: object) -> bool:
    return RELEASE_RECORDS(state, new_state, 1 << 30)


def delivered_too_often(breaks: bool) -> list[Entry]:
    """A record is delivered after its last delivery, by a leader that does not count, or not."""
    bug = replaced(InFlightState, "release", _without_limit) if breaks else nullcontext()
    with _shared(bug) as (cluster, member):
        for delivery in (1, 2):
            assert member.fetch(records_max=1) == [(0, 0, delivery)]
            check(member.acknowledge(0, 0, [RELEASE]))
        assert member.fetch(records_max=1) == [(0, 0, 3) if breaks else (1, 1, 1)]
        return cluster.journal.entries()


def accepted_twice(breaks: bool) -> list[Entry]:
    """A leader answers an acknowledgement and does not apply it, so that its lock expires."""
    dropped = patch.object(share_partitions, "acknowledge", lambda share, *_: share.change([]))
    with _shared(nullcontext()) as (cluster, member):
        assert member.fetch(records_max=1) == [(0, 0, 1)]
        with dropped if breaks else nullcontext():
            check(member.acknowledge(0, 0))
        cluster.clock.advance("40s")
        assert member.fetch(records_max=1) == [(0, 0, 2) if breaks else (1, 1, 1)]
        return cluster.journal.entries()
