"""Random walks of coordinators, logs and clients together, in which all promises hold."""

from collections import Counter
from random import Random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tests.model.transactions_driver import PARTITIONS, TIMEOUT_MS, TransactionsDriver

pytestmark = pytest.mark.slow

CASES: tuple[tuple[str, int | None], ...] = (
    ("0.11", None),
    ("2.4", None),
    ("2.8", None),
    ("3.9", None),
    ("4.4", 0),
    ("4.4", 1),
    ("4.4", 2),
)
NAMES = 6
CLIENTS = 5
WALK_STEPS = 250
SEEDS = range(2)

clients = st.integers(0, CLIENTS - 1)
partitions = st.integers(0, PARTITIONS - 1)


class TransactionsMachine(RuleBasedStateMachine):
    """Finds the shortest way to a broken promise."""

    driver: TransactionsDriver

    @initialize(case=st.sampled_from(CASES))
    def start(self, case: tuple[str, int | None]) -> None:
        self.driver = TransactionsDriver(*case)

    @rule(name=st.integers(0, NAMES - 1), bumps=st.booleans())
    def new_client(self, name: int, bumps: bool) -> None:
        self.driver.new_client(name, bumps=bumps)

    @rule(index=clients, continues=st.booleans())
    def init(self, index: int, continues: bool) -> None:
        self.driver.init(index, continues=continues)

    @rule(index=clients, partition=partitions)
    def add_partition(self, index: int, partition: int) -> None:
        self.driver.add_partition(index, partition)

    @rule(index=clients, partition=partitions, back=st.sampled_from([0, 0, 0, 1]))
    def send(self, index: int, partition: int, back: int) -> None:
        self.driver.send(index, partition, back)

    @rule(index=clients, partition=partitions)
    def produce(self, index: int, partition: int) -> None:
        self.driver.produce(index, partition)

    @rule(index=st.integers(0, 5))
    def append(self, index: int) -> None:
        self.driver.append(index)

    @rule(index=clients, is_commit=st.booleans())
    def end(self, index: int, is_commit: bool) -> None:
        self.driver.end(index, is_commit=is_commit)

    @rule(index=st.integers(0, 5))
    def do_pending(self, index: int) -> None:
        self.driver.do_pending(index)

    @rule(partition=partitions)
    def move_coordinator(self, partition: int) -> None:
        self.driver.move_coordinator(partition)

    @rule(partition=partitions, knows_all=st.booleans())
    def move_leader(self, partition: int, knows_all: bool) -> None:
        self.driver.move_leader(partition, knows_all=knows_all)

    @rule(by_ms=st.sampled_from([1, 1_000, TIMEOUT_MS]))
    def let_time_pass(self, by_ms: int) -> None:
        self.driver.let_time_pass(by_ms)

    @invariant()
    def promises_are_kept(self) -> None:
        self.driver.check()


TestTransactions = TransactionsMachine.TestCase
TestTransactions.settings = settings(max_examples=25, stateful_step_count=40)


def walk(driver: TransactionsDriver, random: Random) -> str:
    """Take one step, most of them such as a producer without faults takes."""
    choice = random.randrange(100)
    index, partition = random.randrange(CLIENTS), random.randrange(PARTITIONS)
    if len(driver.clients) < CLIENTS and choice < 20:
        return driver.new_client(random.randrange(NAMES), bumps=random.random() < 0.7)
    client = driver.client(index)
    if choice < 2 or (client is not None and client.is_fenced and choice < 60):
        return driver.init(index, continues=random.random() < 0.5)
    if choice < 30:
        return driver.produce(index, partition)
    if choice < 35:
        return driver.add_partition(index, partition)
    if choice < 45:
        return driver.send(index, partition, random.choice((0, 0, 0, 0, 1)))
    if choice < 55:
        return driver.append(random.choice((0, 0, 1)))
    if choice < 65:
        return driver.end(index, is_commit=random.random() < 0.6)
    return walk_elsewhere(driver, random, choice, partition)


def walk_elsewhere(driver: TransactionsDriver, random: Random, choice: int, partition: int) -> str:
    if choice < 94:
        return driver.do_pending(random.choice((0, 0, 0, 1, 2)))
    if choice < 96:
        return driver.move_coordinator(partition)
    if choice < 97:
        return driver.move_leader(partition, knows_all=random.random() < 0.3)
    return driver.let_time_pass(random.choice((1, 1, 10_000, TIMEOUT_MS)))


def walked(release: str, transaction_version: int | None, seed: int) -> Counter[str]:
    """Walk, and settle at the end; count how the steps went."""
    random = Random(seed)
    driver = TransactionsDriver(release, transaction_version)
    went: Counter[str] = Counter()
    for _ in range(WALK_STEPS):
        went[walk(driver, random)] += 1
        driver.check()
    driver.settle()
    driver.check()
    driver.check_settled()
    return went


@pytest.mark.parametrize("seed", SEEDS, ids="seed {}".format)
@pytest.mark.parametrize(("release", "transaction_version"), CASES)
def test_a_random_walk_keeps_every_promise(
    release: str, transaction_version: int | None, seed: int
) -> None:
    went = walked(release, transaction_version, seed)
    assert went.keys() >= {
        "init NONE",
        "append NONE",
        "commit NONE",
        "WriteTxnMarkers",
        "CompleteTransaction",
        "LoadTransactions",
    }
