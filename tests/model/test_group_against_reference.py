"""A group against the reference model: any requests in any order, and any time between them."""

from random import Random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from tests.model.group_driver import (
    INSTANCES,
    OFFERS,
    TIMEOUTS_MS,
    GroupDriver,
)

pytestmark = pytest.mark.slow

VERSIONS = (3, 8, 9)
WHO = (-1, -1, 0, 0, 1, 1, 2, 3, 4, 7)
GENERATIONS = (0, 0, 0, 0, 0, -1, 1)
METADATA = (b"said", b"said", b"said", b"said otherwise")
PAUSES_MS = (0, 0, 0, 1, 2_000, 6_000, 12_000, 60_000)
WALK_STEPS = 600
STEPS = ("join", "join", "sync", "heartbeat", "everybody", "leave", "time")
SEEDS = range(4)


class GroupMachine(RuleBasedStateMachine):
    """Finds the shortest way to a difference."""

    driver: GroupDriver

    @initialize()
    def start(self) -> None:
        self.driver = GroupDriver()

    @rule(
        who=st.sampled_from(WHO),
        instance=st.sampled_from(INSTANCES),
        offer=st.sampled_from(OFFERS),
        timeout_ms=st.sampled_from(TIMEOUTS_MS),
        version=st.sampled_from(VERSIONS),
        metadata=st.sampled_from(METADATA),
    )
    def join(
        self,
        who: int,
        instance: str | None,
        offer: tuple[str, ...],
        timeout_ms: int,
        version: int,
        metadata: bytes,
    ) -> None:
        self.driver.join(
            who=who,
            instance=instance,
            offer=offer,
            timeout_ms=timeout_ms,
            version=version,
            metadata=metadata,
        )

    @rule(who=st.sampled_from(WHO[2:]), generation=st.sampled_from(GENERATIONS))
    def sync(self, who: int, generation: int) -> None:
        self.driver.sync(who=who, generation=generation)

    @rule(who=st.sampled_from(WHO[2:]), generation=st.sampled_from(GENERATIONS))
    def heartbeat(self, who: int, generation: int) -> None:
        self.driver.heartbeat(who=who, generation=generation)

    @rule(who=st.lists(st.sampled_from(WHO[2:]), min_size=1, max_size=3), by_instance=st.booleans())
    def leave(self, who: list[int], by_instance: bool) -> None:
        self.driver.leave(who=who, by_instance=by_instance)

    @rule()
    def everybody_joins(self) -> None:
        self.driver.everybody_joins()

    @rule()
    def everybody_syncs(self) -> None:
        self.driver.everybody_syncs()

    @rule(milliseconds=st.sampled_from(PAUSES_MS))
    def pass_time(self, milliseconds: int) -> None:
        self.driver.pass_time(milliseconds)


TestGroupAgainstReference = GroupMachine.TestCase
TestGroupAgainstReference.settings = settings(max_examples=120, stateful_step_count=40)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_walks_agree_with_the_reference(seed: int) -> None:
    random = Random(seed)
    driver = GroupDriver()
    reached: set[str] = set()
    for _ in range(WALK_STEPS):
        step = random.choice(STEPS)
        if step == "join":
            driver.join(
                who=random.choice(WHO),
                instance=random.choice(INSTANCES),
                offer=random.choice(OFFERS[:3]),
                timeout_ms=random.choice(TIMEOUTS_MS),
                version=random.choice(VERSIONS),
                metadata=random.choice(METADATA),
            )
        elif step == "sync":
            driver.sync(who=random.choice(WHO[2:]), generation=random.choice(GENERATIONS))
        elif step == "heartbeat":
            driver.heartbeat(who=random.choice(WHO[2:]), generation=random.choice(GENERATIONS))
        elif step == "leave" and random.random() < 0.3:
            driver.leave(who=[random.choice(WHO[2:])], by_instance=random.random() < 0.5)
        elif step == "everybody":
            driver.everybody_joins()
            driver.pass_time(0)
            driver.everybody_syncs()
        elif step == "time":
            driver.pass_time(random.choice(PAUSES_MS))
        reached.add(driver.reference.state)
    assert reached >= {"Empty", "PreparingRebalance", "CompletingRebalance", "Stable"}, reached
