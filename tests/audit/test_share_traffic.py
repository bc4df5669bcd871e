"""Random traffic of a share group: a correct broker has no findings, one with a bug has."""

import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import pytest

from mockbroker import Cluster
from mockbroker.events import logging
from mockbroker.state.share import share_partitions
from mockbroker.state.share.in_flight_state import InFlightState
from mockbroker.state.share.record_state import RecordState
from mockbroker.wire import WireProducer
from tests.support.share_members import (
    ACCEPT,
    AT_ONCE,
    EARLIEST,
    REJECT,
    RELEASE,
    RENEW,
    Acquired,
    joined,
    set_up,
)

pytestmark = pytest.mark.slow

SEEDS = range(24)
STEPS = 60
RULES = {"DELIVERED_BEYOND_LIMIT", "ACKNOWLEDGED_TWICE"}


class Traffic:
    """Two members of a share group, a producer, and what happens to their brokers."""

    def __init__(self, cluster: Cluster, seed: int, stack: ExitStack) -> None:
        self.cluster = cluster
        self.random = random.Random(seed)
        self.producer = stack.enter_context(WireProducer(cluster.bootstrap_servers))
        self.members = [stack.enter_context(joined(cluster, name)) for name in ("one", "other")]
        self.held: dict[str, list[Acquired]] = {"one": [], "other": []}
        self.steps: list[Callable[[], None]] = [
            *[self.produce] * 3,
            *[self.fetch] * 6,
            *[self.acknowledge] * 6,
            *(self.advance, self.reconnect, self.elect, self.move, self.change_limit),
        ]

    def produce(self) -> None:
        self.producer.produce("orders", b"order", base_sequence=-1)

    def fetch(self) -> None:
        member = self.random.choice(self.members)
        try:
            self.held[member.member_id] += member.fetch(
                records_max=self.random.randint(1, 4), wait_ms=0
            )
        except ConnectionError:
            member.reconnect()

    def acknowledge(self) -> None:
        """Acknowledge something that was once acquired, in time or not."""
        member = self.random.choice(self.members)
        held = self.held[member.member_id]
        if not held:
            return
        first, last, _ = self.random.choice(held)
        kinds = [ACCEPT, RELEASE, REJECT, RENEW]
        member.acknowledge(first, last, self.random.choices(kinds, (4, 5, 1, 1)))

    def advance(self) -> None:
        self.cluster.clock.advance(self.random.choice(["10s", "35s"]))

    def reconnect(self) -> None:
        self.random.choice(self.members).reconnect()

    def elect(self) -> None:
        self.cluster.partition("orders", 0).elect()
        for member in self.members:
            member.reconnect()

    def move(self) -> None:
        partitions = self.cluster.look(
            lambda state, _: len(state.topics.by_name["__share_group_state"].partitions)
        )
        for index in range(partitions):
            self.cluster.partition("__share_group_state", index).elect()

    def change_limit(self) -> None:
        limit = self.random.choice(["2", "3", "5"])
        set_up(self.cluster, {"share.delivery.count.limit": limit})


@contextmanager
def shared(seed: int) -> Iterator[Traffic]:
    logging.configure(level="error", log_format="json")
    config = {**AT_ONCE, "default.replication.factor": "3"}
    with (
        Cluster(
            brokers=3, topics={"orders": 1}, config=config, clock="manual", journal=True
        ) as cluster,
        ExitStack() as stack,
    ):
        set_up(cluster, {**EARLIEST, "share.delivery.count.limit": "3"})
        yield Traffic(cluster, seed, stack)


def found(seed: int) -> tuple[set[str], set[str]]:
    """Return the rules that traffic breaks, and the kinds of events that it has."""
    with shared(seed) as traffic:
        for _ in range(STEPS):
            traffic.random.choice(traffic.steps)()
        findings = traffic.cluster.audit().findings
        kinds = {each.kind for each in traffic.cluster.journal}
    return {each.rule for each in findings if each.rule in RULES}, kinds


def test_a_correct_broker_breaks_no_rule() -> None:
    seen: set[str] = set()
    for seed in SEEDS:
        broken, kinds = found(seed)
        assert not broken, f"seed {seed}"
        seen |= kinds
    assert seen >= {"acquired", "acknowledged", "lock_expired", "session_released", "archived"}
    assert seen >= {"share_loaded", "share_start"}


RELEASE_RECORDS = InFlightState.release


def _unlimited(state: InFlightState, new_state: RecordState, *_: object) -> bool:
    return RELEASE_RECORDS(state, new_state, 1 << 30)


def _uncounted(state: InFlightState, member_id: str) -> bool:
    state.state, state.member_id, state.delivery_count = RecordState.ACQUIRED, member_id, 1
    return True


def _dropped(share: Any, *_: object) -> Any:
    return share.change([])


@pytest.mark.parametrize(
    ("owner", "name", "bug", "rule"),
    [
        pytest.param(InFlightState, "release", _unlimited, "DELIVERED_BEYOND_LIMIT", id="limit"),
        pytest.param(InFlightState, "acquire", _uncounted, "DELIVERED_BEYOND_LIMIT", id="count"),
        pytest.param(
            share_partitions, "acknowledge", _dropped, "ACKNOWLEDGED_TWICE", id="acknowledgement"
        ),
    ],
)
def test_a_bug_of_the_broker_is_found(owner: Any, name: str, bug: Any, rule: str) -> None:
    with patch.object(owner, name, bug):
        assert any(rule in found(seed)[0] for seed in SEEDS)
