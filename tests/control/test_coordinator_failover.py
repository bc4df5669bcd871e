"""A coordinator that moves after every step; with LastEpoch all answers are equal (KIP-360)."""

from collections.abc import Sequence
from random import Random
from typing import Final, NamedTuple

import pytest

from mockbroker import Cluster, Release
from mockbroker.protocol.errors import ErrorCode
from mockbroker.wire import WireProducer

pytestmark = pytest.mark.slow

STEPS: Final = ("new", "bump", "retried bump", "older bump", "add", "commit", "abort")
STEPS_PER_RUN: Final = 14
RUNS: Final = 20


class Answer(NamedTuple):
    """Answer to a step, with the producer id and epoch after it."""

    step: str
    error: ErrorCode
    producer_id: int
    producer_epoch: int


def bump(producer: WireProducer, behind: int) -> ErrorCode:
    """Ask for the next epoch in the name of an older one, as if later answers had been lost."""
    known = producer.producer_epoch
    producer.producer_epoch = max(0, known - behind)
    error = producer.init_producer_id(keep_id=True)
    if error is not ErrorCode.NONE:
        producer.producer_epoch = known
    return error


def take(step: str, producer: WireProducer) -> ErrorCode:
    match step:
        case "new":
            return producer.init_producer_id()
        case "add":
            return producer.add_partition("orders")
        case "commit":
            return producer.commit()
        case "abort":
            return producer.abort()
        case _:
            return bump(producer, ("bump", "retried bump", "older bump").index(step))


def answers(
    seed: int,
    kafka: Release,
    transaction_version: int,
    *,
    proposals: Sequence[str] = ("last-epoch",),
    moves: bool = False,
) -> list[Answer]:
    random = Random(seed)
    found: list[Answer] = []
    with (
        Cluster(
            brokers=2, kafka=kafka, topics={"orders": 1}, proposals=proposals, clock="manual"
        ) as cluster,
        WireProducer(
            cluster.bootstrap_servers, "svc", transaction_version=transaction_version
        ) as producer,
    ):
        producer.init_producer_id()
        for step in random.choices(STEPS, k=STEPS_PER_RUN):
            error = take(step, producer)
            found.append(Answer(step, error, producer.producer_id, producer.producer_epoch))
            if moves:
                cluster.move_coordinator("svc")
    return found


@pytest.mark.parametrize(
    ("kafka", "transaction_version"), [("2.8", 0), ("3.9", 0), ("4.4", 0), ("4.4", 2)]
)
def test_with_the_proposal_every_answer_is_the_same_after_a_failover(
    kafka: Release, transaction_version: int
) -> None:
    for seed in range(RUNS):
        stays = answers(seed, kafka, transaction_version)
        moves = answers(seed, kafka, transaction_version, moves=True)
        assert moves == stays, f"seed {seed}"


def test_without_the_proposal_some_answers_differ_after_a_failover() -> None:
    def differ(seed: int) -> bool:
        stays = answers(seed, "4.4", 0, proposals=())
        return answers(seed, "4.4", 0, proposals=(), moves=True) != stays

    assert any(differ(seed) for seed in range(RUNS))
