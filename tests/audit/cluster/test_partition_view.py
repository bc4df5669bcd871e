"""A partition's log as values."""

import pytest

from mockbroker.audit.cluster.partition_view import (
    LoggedBatch,
    PartitionSnapshot,
    chosen_partitions,
    partition_views,
    topics_of,
)
from mockbroker.protocol.messages.produce import ProduceResponse
from tests.support.faults import VERSION, produce_to
from tests.support.in_process import NOW_MS, Brokers
from tests.support.transactions import Transactor, new_brokers


def view_of(brokers: Brokers, index: int = 0) -> PartitionSnapshot:
    (view,) = partition_views(brokers.state, "orders", index, NOW_MS)
    return view


def write(transactor: Transactor, *, committed: bool | None) -> None:
    transactor.add(0)
    transactor.write(0, b"value")
    if committed is not None:
        transactor.end(committed=committed)
        transactor.brokers.loop.run()


def outcomes(view: PartitionSnapshot) -> list[tuple[str, bool]]:
    return [(batch.outcome, batch.is_committed_for_readers) for batch in view.batches]


def test_markers_determine_the_outcome_of_the_batches_before_them() -> None:
    brokers = new_brokers()
    one, other = Transactor(brokers, "one"), Transactor(brokers, "other")
    for transactor in (one, other):
        transactor.init()
    write(one, committed=True)
    write(one, committed=False)
    write(other, committed=None)
    write(one, committed=True)
    view = view_of(brokers)
    assert outcomes(view) == [
        ("committed", True), ("marker", False),
        ("aborted", False), ("marker", False),
        ("open", False),
        ("committed", False), ("marker", False),
    ]  # fmt: skip
    assert [batch.is_commit for batch in view.batches if batch.outcome == "marker"] == [
        True, False, True,
    ]  # fmt: skip
    assert (view.log_start_offset, view.last_stable_offset, view.log_end_offset) == (0, 4, 7)
    assert [each.transactional_id for each in view.open_transactions] == ["other"]
    assert view.name == "orders-0"


def test_a_batch_without_a_producer_is_readable() -> None:
    brokers = new_brokers()
    brokers.ask(produce_to(0), VERSION, ProduceResponse)
    view = view_of(brokers)
    assert outcomes(view) == [("plain", True)]
    assert view.batches[0].producer_id == -1
    assert view.open_transactions == ()


def test_the_last_sequence_wraps_to_zero() -> None:
    batch = LoggedBatch(5, 8, 1, 0, (1 << 31) - 2, "plain", False, True)
    assert batch.last_sequence == 1


def test_internal_topics_are_included_only_by_name() -> None:
    brokers = new_brokers()
    named = [str(each.topic_partition) for each in chosen_partitions(brokers.state, None)]
    assert named == ["orders-0", "orders-1", "orders-2"]
    assert len(chosen_partitions(brokers.state, "__transaction_state")) == 3
    assert len(chosen_partitions(brokers.state, "orders", 1)) == 1
    with pytest.raises(LookupError, match="no topic 'nowhere'"):
        chosen_partitions(brokers.state, "nowhere")


def test_each_topic_name_is_listed_once() -> None:
    brokers = Brokers(topics={"orders": 2, "payments": 1})
    assert topics_of(brokers.state, None) == ["orders", "payments"]
    assert topics_of(brokers.state, "payments") == ["payments"]
