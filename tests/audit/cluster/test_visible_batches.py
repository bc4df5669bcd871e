"""Batches that read_committed readers get from brokers."""

import pytest

from mockbroker.audit.cluster.visible_batches import wrongly_shown
from mockbroker.state.replication.leader_election import ProducerState, elect_leader
from tests.support.in_process import NOW_MS, Brokers
from tests.support.transactions import Transactor, new_brokers


@pytest.fixture
def brokers() -> Brokers:
    return new_brokers()


def elect(brokers: Brokers, producer_state: ProducerState) -> None:
    partition = brokers.topic("orders").partitions[0]
    elect_leader(brokers.state, partition, 1, producer_state=producer_state, now_ms=NOW_MS)


def written(brokers: Brokers) -> Transactor:
    producer = Transactor(brokers)
    producer.init()
    producer.add(0)
    producer.write(0, b"value")
    return producer


@pytest.mark.parametrize("is_commit", [True, False])
def test_batches_that_readers_cannot_reach_are_not_listed(
    brokers: Brokers, is_commit: bool
) -> None:
    producer = written(brokers)
    assert list(wrongly_shown(brokers.state, None, NOW_MS)) == []
    producer.end(committed=is_commit)
    assert list(wrongly_shown(brokers.state, "orders", NOW_MS)) == []
    with pytest.raises(LookupError, match="no topic 'nowhere'"):
        list(wrongly_shown(brokers.state, "nowhere", NOW_MS))


@pytest.mark.parametrize(("is_commit", "fate"), [(True, None), (False, "aborted")])
def test_a_leader_without_producer_state_shows_open_transactions(
    brokers: Brokers, is_commit: bool, fate: str | None
) -> None:
    producer = written(brokers)
    elect(brokers, "none")
    assert [each.fate for each in wrongly_shown(brokers.state, "orders", NOW_MS)] == ["open"]
    producer.end(committed=is_commit)
    shown = list(wrongly_shown(brokers.state, "orders", NOW_MS))
    assert [each.fate for each in shown] == ([] if fate is None else [fate])
    assert all((each.first_offset, each.last_offset) == (0, 0) for each in shown)
