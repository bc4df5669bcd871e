"""End of a decided batch: its first transaction settles it."""

from collections.abc import Iterator

import pytest

from mockbroker import Cluster
from mockbroker.spark.format_errors import KafkaEosError
from mockbroker.spark.sink.batch_ending import end_batch
from mockbroker.spark.sink.control_records import (
    BatchIdentity,
    DecidedBatch,
    EndedBatch,
    TaskTransaction,
    Written,
)
from mockbroker.spark.sink.transaction_requests import (
    TransactionEndedError,
    TransactionRequests,
)
from mockbroker.wire.cluster import TopicIdPartition, WireCluster


@pytest.fixture
def requests() -> Iterator[TransactionRequests]:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        WireCluster(cluster.bootstrap_servers, patience_s=2) as wire,
    ):
        yield TransactionRequests(wire)


def decision(requests: TransactionRequests, *, expired: int | None = None) -> DecidedBatch:
    """Open three transactions, of which one is fenced again."""
    written: list[Written] = []
    for task in range(3):
        producer = requests.init(f"sink-{task}", 60_000)
        requests.add(producer, [TopicIdPartition("orders", 0)])
        transaction = TaskTransaction(**producer._asdict(), task=task, attempt=0)
        written.append(Written(transaction=transaction, ranges={"orders-0": (task, task, 1)}))
        if task == expired:
            requests.init(f"sink-{task}", 60_000)
    identity = BatchIdentity("q", "1")
    return DecidedBatch(prefix="sink", identity=identity, since=0, written=tuple(written))


def end(
    requests: TransactionRequests, decided: DecidedBatch, *, may_lose: bool = False
) -> tuple[EndedBatch, list[EndedBatch]]:
    appended: list[EndedBatch] = []
    ended = end_batch(decided, requests, appended.append, is_last=lambda _: True, may_lose=may_lose)
    return ended, appended


def test_a_batch_is_done_when_all_are_committed_and_that_may_be_repeated(
    requests: TransactionRequests,
) -> None:
    decided = decision(requests)
    for _ in range(2):
        ended, appended = end(requests, decided)
        assert ended.is_done
        assert [each.task for each in ended.committed] == [0, 1, 2]
        assert appended == [ended]


def test_a_batch_whose_first_transaction_has_expired_is_open_again(
    requests: TransactionRequests,
) -> None:
    ended, appended = end(requests, decision(requests, expired=0))
    assert not ended.is_done
    assert ended.committed == ()
    assert appended == [ended]


def test_a_later_transaction_that_has_expired_is_a_loss(requests: TransactionRequests) -> None:
    decided = decision(requests, expired=1)
    with pytest.raises(KafkaEosError, match=r"1 records are lost \(orders-0 offsets 1 to 1\)"):
        end(requests, decided)
    ended, _ = end(requests, decided, may_lose=True)
    assert ended.is_done
    assert [each.task for each in ended.committed] == [0, 2]
    assert ended.lost == (decided.written[1],)


@pytest.mark.parametrize("expired", [0, 1])
def test_a_batch_that_another_start_has_ended_is_neither_open_nor_a_loss(
    requests: TransactionRequests, expired: int
) -> None:
    decided = decision(requests, expired=expired)
    appended: list[EndedBatch] = []
    with pytest.raises(TransactionEndedError, match="batch 1 of query q was ended meanwhile"):
        end_batch(decided, requests, appended.append, is_last=lambda _: False, may_lose=False)
    assert appended == []
