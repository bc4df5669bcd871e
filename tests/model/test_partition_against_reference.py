"""A partition against the reference model: any calls in any order, in every generation."""

from collections import Counter
from random import Random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.model.generations import (
    GENERATIONS,
    KAFKA_0_11,
    KAFKA_2_3,
    KAFKA_4_4,
    Generation,
)
from tests.model.partition_driver import EXPIRATION_MS, VERIFICATIONS, PartitionDriver
from tests.model.reference_values import EPOCH_MAX

pytestmark = pytest.mark.slow

PRODUCERS = 3
STEPS = (0, 0, 0, 0, 0, 0, 0, 0, 1, -1)
GAPS = (0, 0, 0, 0, 0, 0, 0, 1, -1, 3)
AGES_MS = (0, 0, 0, 1_000, EXPIRATION_MS)
FIRST_EPOCHS = (0, 3, EPOCH_MAX - 1, EPOCH_MAX)
WALK_STEPS = 400
SEEDS = range(3)


class PartitionMachine(RuleBasedStateMachine):
    """Finds the shortest way to a difference."""

    generation = KAFKA_4_4
    driver: PartitionDriver

    @initialize(first_epoch=st.sampled_from(FIRST_EPOCHS))
    def start(self, first_epoch: int) -> None:
        self.driver = PartitionDriver(self.generation, first_epoch)

    @rule(
        producer_id=st.integers(0, PRODUCERS - 1),
        step=st.sampled_from(STEPS),
        gap=st.sampled_from(GAPS),
        records=st.integers(1, 3),
        age_ms=st.sampled_from(AGES_MS),
        is_transactional=st.booleans(),
        verification=st.sampled_from(VERIFICATIONS),
        supports_epoch_bump=st.booleans(),
    )
    def produce(
        self,
        producer_id: int,
        step: int,
        gap: int,
        records: int,
        age_ms: int,
        is_transactional: bool,
        verification: str,
        supports_epoch_bump: bool,
    ) -> None:
        self.driver.produce(
            producer_id=producer_id,
            step=step,
            gap=gap,
            records=records,
            age_ms=age_ms,
            is_transactional=is_transactional,
            verification=verification,
            supports_epoch_bump=supports_epoch_bump,
        )

    @rule(back=st.integers(0, 8))
    def retry(self, back: int) -> None:
        self.driver.retry(back)

    @rule(records=st.integers(1, 3))
    def append_without_producer(self, records: int) -> None:
        self.driver.append_without_producer(records)

    @rule(
        producer_id=st.integers(0, PRODUCERS - 1),
        step=st.sampled_from(STEPS),
        coordinator_epoch=st.integers(0, 1),
        is_commit=st.booleans(),
        transaction_version=st.sampled_from([0, 2]),
    )
    def end_transaction(
        self,
        producer_id: int,
        step: int,
        coordinator_epoch: int,
        is_commit: bool,
        transaction_version: int,
    ) -> None:
        self.driver.end_transaction(
            producer_id=producer_id,
            step=step,
            coordinator_epoch=coordinator_epoch,
            is_commit=is_commit,
            transaction_version=transaction_version,
        )

    @rule(start=st.integers(0, 100), length=st.integers(0, 100))
    def ask_for_aborted_transactions(self, start: int, length: int) -> None:
        self.driver.ask_for_aborted_transactions(start, length)

    @rule(by_ms=st.integers(1, 1_500))
    def let_time_pass(self, by_ms: int) -> None:
        self.driver.let_time_pass(by_ms)

    @rule()
    def expire(self) -> None:
        self.driver.expire()

    @rule(back=st.integers(0, 3))
    def advance_high_watermark(self, back: int) -> None:
        self.driver.advance_high_watermark(back)

    @rule(keep=st.integers(0, 5))
    def delete_records(self, keep: int) -> None:
        self.driver.delete_records(keep)

    @rule()
    def apply_retention(self) -> None:
        self.driver.apply_retention()

    @rule()
    def recover(self) -> None:
        self.driver.recover()

    @rule()
    def forget(self) -> None:
        self.driver.forget()

    @invariant()
    def all_that_can_be_seen_agrees(self) -> None:
        self.driver.check()


class MachineOf23(PartitionMachine):
    generation = KAFKA_2_3


class MachineOf011(PartitionMachine):
    generation = KAFKA_0_11


# The gate draws the same examples every time; what fails is printed as the calls that lead to it.
SETTINGS = settings(max_examples=30, stateful_step_count=40)
Test44 = PartitionMachine.TestCase
Test44.settings = SETTINGS
Test23 = MachineOf23.TestCase
Test23.settings = SETTINGS
Test011 = MachineOf011.TestCase
Test011.settings = SETTINGS


def walk(driver: PartitionDriver, random: Random) -> str:
    """Take one step of a walk, most of them such as a producer without faults takes."""
    choice = random.randrange(100)
    if choice < 45:
        return driver.produce(
            producer_id=random.randrange(PRODUCERS),
            step=random.choice(STEPS),
            gap=random.choice(GAPS),
            records=random.randint(1, 3),
            age_ms=random.choice(AGES_MS),
            is_transactional=random.random() < 0.7,
            verification=random.choice((*VERIFICATIONS, "new", "new")),
            supports_epoch_bump=random.random() < 0.3,
        )
    if choice < 60:
        return driver.end_transaction(
            producer_id=random.randrange(PRODUCERS),
            step=random.choice((*STEPS, 1)),
            coordinator_epoch=random.choice((0,) * 20 + (1,)),
            is_commit=random.random() < 0.4,
            transaction_version=random.choice((0, 2)),
        )
    if choice < 70:
        return driver.retry(random.randrange(9))
    if choice < 80:
        return driver.ask_for_aborted_transactions(random.randrange(1_000), random.randrange(1_000))
    return walk_elsewhere(driver, random, choice)


def walk_elsewhere(driver: PartitionDriver, random: Random, choice: int) -> str:
    if choice < 90:
        driver.advance_high_watermark(random.randrange(3))
        return "replicated"
    if choice < 92:
        driver.append_without_producer(random.randint(1, 3))
        return "appended without producer"
    if choice < 96:
        driver.let_time_pass(random.randint(1, 800))
        return "time passed"
    if choice < 98:
        return driver.expire()
    if choice < 99:
        driver.delete_records(random.randrange(12))
        return "deleted"
    if random.random() < 0.7:
        driver.apply_retention()
        return "retention"
    return change_leader(driver, random)


def change_leader(driver: PartitionDriver, random: Random) -> str:
    if random.random() < 0.7:
        driver.recover()
        return "recovered"
    driver.forget()
    return "forgotten"


def walked(generation: Generation, seed: int) -> Counter[str]:
    """Walk with producers of each first epoch, and count how the steps went."""
    random = Random(seed)
    went: Counter[str] = Counter()
    for first_epoch in FIRST_EPOCHS:
        driver = PartitionDriver(generation, first_epoch)
        for _ in range(WALK_STEPS):
            went[walk(driver, random)] += 1
            driver.check()
    return went


@pytest.mark.parametrize("seed", SEEDS, ids="seed {}".format)
@pytest.mark.parametrize("generation", GENERATIONS, ids=[each.release for each in GENERATIONS])
def test_a_random_walk_agrees_at_every_step(generation: Generation, seed: int) -> None:
    went = walked(generation, seed)
    assert went.keys() >= {
        "appended",
        "duplicate",
        "expired",
        "1 aborted",
        "2 aborted",
        "marker NONE",
        "marker INVALID_PRODUCER_EPOCH",
        "marker TRANSACTION_COORDINATOR_FENCED",
        "INVALID_PRODUCER_EPOCH",
        "INVALID_TXN_STATE",
        "OUT_OF_ORDER_SEQUENCE_NUMBER",
        "deleted",
        "retention",
        "recovered",
    }
