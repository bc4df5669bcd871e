"""Appends on the fast path: a transaction's batches are answered as on the general path."""

import sys
from collections.abc import Callable
from contextlib import ExitStack
from random import Random

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.produce import ProduceResponse
from tests.conformance.batches import Item, Producer, batch
from tests.support.fast_path import answers, path_of
from tests.support.in_process import (
    NOW_MS,
    Brokers,
    Peer,
    frame_of,
    sized,
)
from tests.support.requests import batch_of, produce
from tests.support.transactions import (
    ABORTABLE,
    BUMPING,
    OLD,
    Transactor,
    new_brokers,
    pending_held,
    read,
)

ROUNDS = 60
WITH_TOPIC_IDS = (13, 5)


class Twin:
    """A transactional producer with one connection for all its batches."""

    def __init__(self, brokers: Brokers, versions: tuple[int, int]) -> None:
        self.brokers = brokers
        self.producer = Transactor(brokers, versions=versions)
        self.peer = brokers.connect()

    def send(self, *batches: bytes) -> list[bytes]:
        """Send batches in one piece, each in a request of its own, and return the answers."""
        version = self.producer.produce_version
        self.peer.feed(
            b"".join(sized(frame_of(self.producer.request(0, each), version)) for each in batches)
        )
        return self.peer.new_frames()


class Twins:
    """Two equal clusters, of which one has no fast path; whatever is done is done to both."""

    def __init__(
        self, release: str, features: dict[str, int] | None, versions: tuple[int, int]
    ) -> None:
        made = (
            new_brokers(release=release, features=features, fast=fast) for fast in (True, False)
        )
        self.fast, self.general = (Twin(brokers, versions) for brokers in made)
        self.sequence = 0

    @property
    def both(self) -> tuple[Twin, Twin]:
        return self.fast, self.general

    def take_turn(self, random: Random) -> None:
        """Do a few things, now and then while what comes after answers is held."""
        with ExitStack() as held:
            is_held = random.random() < 0.3
            for twin in self.both if is_held else ():
                held.enter_context(pending_held(twin.brokers))
            for _ in range(random.randint(1, 6)):
                self.act(random)
        if random.randrange(8) == 0:
            self.begin()

    def act(self, random: Random) -> None:
        """Begin a transaction, write to it, or end it."""
        choice = random.randrange(19)
        if choice < 12:
            self.write(random)
        elif choice < 15:
            self.same(lambda twin: twin.producer.add(0))
        else:
            before = self.fast.producer.producer_epoch
            committed = random.random() < 0.5
            self.same(lambda twin: twin.producer.end(committed=committed))
            if self.fast.producer.producer_epoch != before:
                self.sequence = 0

    def begin(self) -> None:
        self.same(lambda twin: twin.producer.init())
        self.sequence = 0

    def same(self, do: Callable[[Twin], object]) -> None:
        assert do(self.fast) == do(self.general)

    def write(self, random: Random) -> None:
        """Send the next batches, or now and then others."""
        batches: list[bytes] = []
        sequence = self.sequence
        for _ in range(random.choice((1, 1, 2, 5))):
            values = [random.randbytes(random.choice((10, 10, 100)))] * random.choice((1, 1, 3))
            gap = random.choices((0, 1, -1, -4), (20, 1, 1, 1))[0]
            is_transactional = random.randrange(12) > 0
            batches.append(
                self.fast.producer.batch(
                    *values, sequence=max(0, sequence + gap), is_transactional=is_transactional
                )
            )
            sequence += len(values)
        answers = self.fast.send(*batches)
        assert answers == self.general.send(*batches)
        entry = self.fast.brokers.partition("orders").log
        known = entry.producers.last_entry(self.fast.producer.producer_id) if entry else None
        if known is not None and known.producer_epoch == self.fast.producer.producer_epoch:
            self.sequence = known.last_sequence + 1


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(
    ("release", "features", "versions"),
    [
        ("4.4", None, OLD),
        ("4.4", None, ABORTABLE),
        ("4.4", None, BUMPING),
        ("4.4", None, WITH_TOPIC_IDS),
        ("4.4", {"transaction.version": 0}, OLD),
        ("2.8", None, (8, 2)),
    ],
)
def test_transactions_are_answered_as_on_the_general_path(
    release: str, features: dict[str, int] | None, versions: tuple[int, int], seed: int
) -> None:
    sys.stdout.write(f"seed {seed}\n")
    random = Random(seed)
    twins = Twins(release, features, versions)
    twins.begin()
    for _ in range(ROUNDS):
        twins.take_turn(random)
    fast, general = (twin.brokers for twin in twins.both)
    assert fast.state.as_text() == general.state.as_text()
    assert fast.log_bytes("orders") == general.log_bytes("orders")
    assert fast.fast_answers > ROUNDS // 2


def ready(versions: tuple[int, int] = OLD) -> tuple[Brokers, Transactor, Peer]:
    """Return a producer with a transaction open, whose first batch was answered."""
    brokers = new_brokers()
    producer = Transactor(brokers, versions=versions)
    producer.init()
    producer.add(0)
    peer = brokers.connect()
    answer = peer.ask(producer.request(0, producer.batch()), versions[0], ProduceResponse)
    assert answer.responses[0].partition_responses[0].error_code == ErrorCode.NONE
    assert brokers.fast_answers == 0
    return brokers, producer, peer


@pytest.mark.parametrize("versions", [OLD, ABORTABLE, BUMPING])
def test_the_second_batch_of_a_transaction_takes_the_fast_path(versions: tuple[int, int]) -> None:
    brokers, producer, peer = ready(versions)
    peer.ask(producer.request(0, producer.batch(sequence=1)), versions[0], ProduceResponse)
    assert brokers.fast_answers == 1


@pytest.mark.parametrize("versions", [OLD, ABORTABLE, BUMPING])
def test_a_verified_first_batch_of_the_next_transaction_takes_the_fast_path(
    versions: tuple[int, int],
) -> None:
    brokers, producer, peer = ready(versions)
    producer.end(committed=True)
    if versions != BUMPING:  # then the broker adds the partition
        producer.add(0)
    request = producer.request(0, producer.batch(sequence=0 if versions == BUMPING else 1))
    answer = peer.ask(request, versions[0], ProduceResponse)
    assert answer.responses[0].partition_responses[0].error_code == ErrorCode.NONE
    assert brokers.fast_answers == 1
    assert read(brokers, committed=True).last_stable_offset == 2


def test_a_batch_without_its_transaction_is_left_to_the_general_path() -> None:
    brokers, producer, peer = ready()
    producer.end(committed=True)
    request = producer.request(0, producer.batch(sequence=1))
    answer = peer.ask(request, OLD[0], ProduceResponse)
    assert answer.responses[0].partition_responses[0].error_code == ErrorCode.INVALID_TXN_STATE
    assert brokers.fast_answers == 0


def test_a_transactional_batch_without_a_producer_id_takes_the_general_path() -> None:
    brokers = new_brokers()
    producer = Transactor(brokers)
    path = path_of(brokers)
    frame = frame_of(producer.request(0, producer.batch()), 10)
    assert [answers(path, frame) for _ in range(2)] == [False, False]


def test_the_log_gets_the_time_of_each_append() -> None:
    brokers = Brokers(topics={"orders": 1})
    path = path_of(brokers)
    new_producer = batch(Item(), at_ms=NOW_MS, producer=Producer(7, 0, 0))
    frames = [frame_of(produce(records=each), 9) for each in (batch_of(), new_producer)]
    assert not answers(path, frames[0])
    for number, frame in enumerate((frames[0], frames[0], frames[1])):
        brokers.clock.advance(10)
        brokers.service.read_clock()
        assert answers(path, frame)
        log = brokers.state.log_of(brokers.partition("orders"), 0)
        assert log.segments.active.created_ms == NOW_MS + 10
        assert log.segments.active.last_modified_ms == NOW_MS + 10 * (number + 1)
