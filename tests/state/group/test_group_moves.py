"""A coordinator that takes over a group knows it as the one before did, at every step of a walk."""

import re
from collections.abc import Callable, Mapping
from random import Random
from typing import Final

import pytest

from mockbroker.protocol.errors import ApiError
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.group.group_checks import Committer
from mockbroker.state.group.streams.topics.topology import Subtopology
from mockbroker.state.replication.leader_election import elect_leader
from tests.state.group.consumer import consumer_building as consumers
from tests.state.group.coordinator_building import coordinator_in, home_of, offset
from tests.state.group.streams import streams_building as streams

STEPS: Final = 60
SEEDS: Final = range(40)
MOVED_AT: Final = 0.3
RECLAIMED_AT: Final = 0.1
NAMES: Final = "abcdef"
STATIC: Final = "ef"
STEP_MS: Final = 1_000
VOLATILE: Final = re.compile(r" (until|endpoints) .*")
"""Deadlines and what only the coordinator in charge keeps."""
ORDERS_AND_BILLS: Final = (Subtopology("0", ("orders",)), Subtopology("1", ("bills",)))

Ways = Mapping[str, Callable[[], object]]


class ConsumerWalk:
    """Members of a consumer group."""

    group_id = consumers.CONSUMERS

    def __init__(self, random: Random) -> None:
        """Create the topics; nobody has joined."""
        self.cluster = consumers.cluster_of(brokers=2, orders=5, bills=3)
        self.random = random
        self.members = [
            consumers.Consumer(
                self.cluster,
                name,
                *random.choice([("orders",), ("orders", "bills")]),
                instance_id=f"i-{name}" if name in STATIC else None,
                assignor=random.choice([None, "range", "uniform"]),
                regex=random.choice([None, "b.*"]),
            )
            for name in NAMES
        ]

    def step(self, now_ms: int) -> None:
        """Let a member do something."""
        member = self.random.choice(self.members)
        if not member.epoch:
            member.join(now_ms)
            return
        match self.random.randrange(8):
            case 0:
                member.leave(-2 if member.instance_id else -1, now_ms)
                member.epoch = 0
            case 1:
                member.topics = self.random.choice([("orders",), ("bills",), ("orders", "bills")])
                member.send(member.full(member.assigned), now_ms)
            case 2:
                commit(self.cluster, self.group_id, member.member_id, member.epoch, now_ms)
            case _:
                member.beat(member.assigned, now_ms)


class StreamsWalk:
    """Members of a streams group."""

    group_id = streams.APP

    def __init__(self, random: Random) -> None:
        """Create the topics; nobody has joined."""
        self.cluster = streams.cluster_of(
            brokers=2, configs={"group.streams.num.standby.replicas": "1"}, orders=5, bills=3
        )
        self.random = random
        self.members = [
            streams.Streams(
                self.cluster,
                name,
                topology=ORDERS_AND_BILLS,
                process=random.choice("pqr"),
                instance_id=f"i-{name}" if name in STATIC else None,
            )
            for name in NAMES
        ]
        self.owned: dict[str, Mapping[str, frozenset[int]]] = {}

    def step(self, now_ms: int) -> None:
        """Let a member do something."""
        member = self.random.choice(self.members)
        owned = self.owned.get(member.member_id, {})
        if not member.member_epoch:
            member.join(now_ms)
            return
        match self.random.randrange(8):
            case 0:
                member.leave(-2 if member.instance_id else -1, now_ms)
                member.member_epoch = 0
            case 1:
                member.send(member.joining(member_epoch=member.member_epoch), now_ms)
            case 2:
                commit(self.cluster, self.group_id, member.member_id, member.member_epoch, now_ms)
            case _:
                result = member.beat(owned, now_ms)
                if result.assigned is not None:
                    self.owned[member.member_id] = {
                        name: frozenset(each) for name, each in result.assigned.active.items()
                    }


def commit(cluster: ClusterState, group_id: str, member_id: str, epoch: int, now_ms: int) -> None:
    """Commit an offset."""
    record = offset(now_ms, group_id=group_id)
    committer = Committer(member_id, None, epoch)
    coordinator_in(cluster).commit_offsets(group_id, committer, [record], now_ms)


def known(cluster: ClusterState) -> list[str]:
    """Return what the coordinator knows that is in its log."""
    _, *lines = coordinator_in(cluster).groups.as_text()
    return [VOLATILE.sub("", line) for line in lines]


def move(cluster: ClusterState, now_ms: int) -> None:
    """Elect the other broker, and let it load the groups."""
    home = home_of(cluster)
    (other,) = {*home.replicas} - {home.leader_id}
    elect_leader(cluster, home, other, now_ms=now_ms)
    cluster.run_pending(now_ms)


@pytest.mark.parametrize("walk_of", [ConsumerWalk, StreamsWalk])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_group_is_the_same_wherever_its_coordinator_moves(
    walk_of: type[ConsumerWalk | StreamsWalk], seed: int
) -> None:
    random = Random(seed)
    walk = walk_of(random)
    cluster, now_ms = walk.cluster, 0
    seen: set[str] = set()
    for _ in range(STEPS):
        now_ms += STEP_MS
        cluster.advance_to(now_ms)
        try:
            walk.step(now_ms)
        except ApiError as refusal:
            seen.add(refusal.code.name)
        if random.random() < RECLAIMED_AT:
            coordinator_in(cluster).groups.reclaim(now_ms=now_ms)
        if random.random() < MOVED_AT:
            before = known(cluster)
            move(cluster, now_ms)
            assert known(cluster) == before
            seen.update(line.split()[3] for line in before if line.startswith("group"))
    assert seen & {"Stable", "Reconciling", "Assigning"}, seen
