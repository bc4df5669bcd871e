"""A leader election after every step, with producer state from the log: no answer differs.

Nothing is deleted here. What the log does not show is which first batch of a transaction is still
being verified (KIP-890), so releases that verify are only asked with all the state kept.
"""

from random import Random
from typing import Final, NamedTuple

import pytest

from mockbroker import Cluster, Release
from mockbroker.state.replication.leader_election import ProducerState
from mockbroker.wire import Produced, WireProducer

pytestmark = pytest.mark.slow

STEPS: Final = ("new", "add", "write", "write", "retry", "gap", "fenced", "commit", "abort")
STEPS_PER_RUN: Final = 20
RUNS: Final = 12


class Answer(NamedTuple):
    """Answer to a step, with the partition's offsets after it."""

    step: str
    answer: object
    last_stable_offset: int
    high_watermark: int


class Play:
    """A producer that sends the given requests, valid or invalid."""

    def __init__(self, producer: WireProducer, random: Random) -> None:
        self._producer = producer
        self._random = random
        self._next_sequence = 0

    def take(self, step: str) -> object:
        producer = self._producer
        match step:
            case "new":
                self._next_sequence = 0
                return producer.init_producer_id()
            case "add":
                return producer.add_partition("orders")
            case "commit":
                return producer.commit()
            case "abort":
                return producer.abort()
            case "retry":
                return self._write(max(0, self._next_sequence - self._random.randint(1, 7)))
            case "gap":
                return self._write(self._next_sequence + 2)
            case "fenced":
                return self._fenced()
            case _:
                written = self._write(self._next_sequence)
                self._next_sequence += written.base_offset >= 0
                return written

    def _write(self, base_sequence: int) -> Produced:
        return self._producer.produce("orders", b"order", base_sequence=base_sequence)

    def _fenced(self) -> Produced:
        known = self._producer.producer_epoch
        self._producer.producer_epoch = max(0, known - 1)
        answer = self._write(self._next_sequence)
        self._producer.producer_epoch = known
        return answer


def answers(seed: int, kafka: Release, producer_state: ProducerState | None) -> list[Answer]:
    random = Random(seed)
    found: list[Answer] = []
    with (
        Cluster(brokers=1, kafka=kafka, topics={"orders": 1}, clock="manual") as cluster,
        WireProducer(cluster.bootstrap_servers, "svc") as producer,
    ):
        partition = cluster.partition("orders", 0)
        play = Play(producer, random)
        play.take("new")
        for step in random.choices(STEPS, k=STEPS_PER_RUN):
            answer = play.take(step)
            found.append(
                Answer(step, answer, partition.last_stable_offset, partition.high_watermark)
            )
            if producer_state is not None:
                partition.elect(producer_state=producer_state)
    return found


@pytest.mark.parametrize(
    ("kafka", "producer_state"),
    [
        ("0.11", "from_log"),
        ("2.3", "from_log"),
        ("2.4", "from_log"),
        ("2.8", "from_log"),
        ("2.8", "full"),
        ("4.4", "full"),
    ],
)
def test_every_answer_is_the_same(kafka: Release, producer_state: ProducerState) -> None:
    for seed in range(RUNS):
        stays = answers(seed, kafka, None)
        moves = answers(seed, kafka, producer_state)
        assert moves == stays, f"seed {seed}"


def test_without_its_state_a_leader_answers_otherwise() -> None:
    assert any(answers(seed, "2.8", None) != answers(seed, "2.8", "none") for seed in range(RUNS))
