"""Offsets of groups, committed and pending."""

import pytest

from mockbroker.protocol.types import TopicPartition
from mockbroker.state.group.group_log_record import OffsetAndMetadata, OffsetRecord
from mockbroker.state.group.offset_metadata_manager import OffsetMetadataManager

ORDERS = TopicPartition("orders", 0)
PRODUCER_ID = 42


def record_of(
    offset: int | None, record_offset: int, partition: TopicPartition = ORDERS
) -> OffsetRecord:
    value = None
    if offset is not None:
        value = OffsetAndMetadata(offset, 0, "", 1_000, record_offset=record_offset)
    return OffsetRecord("readers", partition, value)


@pytest.fixture
def manager() -> OffsetMetadataManager:
    return OffsetMetadataManager()


def committed_offset(manager: OffsetMetadataManager, group_id: str = "readers") -> int | None:
    found = manager.committed(group_id, ORDERS)
    return None if found is None else found.offset


def test_a_group_that_committed_nothing_has_nothing(manager: OffsetMetadataManager) -> None:
    assert committed_offset(manager) is None
    assert not manager.all_committed("readers")
    assert manager.known_partitions("readers") == []
    assert manager.first_record_offset() is None


def test_a_commit_takes_effect_at_once(manager: OffsetMetadataManager) -> None:
    manager.replay(record_of(5, 0))
    assert committed_offset(manager) == 5
    assert list(manager.all_committed("readers")) == [ORDERS]
    assert committed_offset(manager, "others") is None
    assert not manager.is_unstable("readers", ORDERS)


def test_a_transactional_commit_is_pending_until_the_end(manager: OffsetMetadataManager) -> None:
    manager.replay(record_of(5, 0))
    manager.replay(record_of(9, 1), PRODUCER_ID)
    assert committed_offset(manager) == 5
    assert manager.is_unstable("readers", ORDERS)
    assert manager.has_open_transactions("readers")
    assert not manager.is_unstable("readers", TopicPartition("orders", 1))
    assert not manager.is_unstable("others", ORDERS)
    assert list(manager.complete_transaction(PRODUCER_ID, is_commit=True)) == ["readers"]
    assert committed_offset(manager) == 9
    assert not manager.is_unstable("readers", ORDERS)
    assert not manager.has_open_transactions("readers")


def test_aborted_offsets_are_discarded(manager: OffsetMetadataManager) -> None:
    manager.replay(record_of(5, 0), PRODUCER_ID)
    manager.complete_transaction(PRODUCER_ID, is_commit=False)
    assert committed_offset(manager) is None
    assert manager.known_partitions("readers") == []
    assert list(manager.complete_transaction(PRODUCER_ID, is_commit=True)) == []


def test_an_offset_is_unstable_until_the_last_transaction_has_ended(
    manager: OffsetMetadataManager,
) -> None:
    manager.replay(record_of(5, 0), PRODUCER_ID)
    manager.replay(record_of(6, 1), PRODUCER_ID)
    manager.replay(record_of(7, 2), PRODUCER_ID + 1)
    manager.complete_transaction(PRODUCER_ID + 1, is_commit=True)
    assert manager.is_unstable("readers", ORDERS)
    manager.complete_transaction(PRODUCER_ID, is_commit=True)
    assert not manager.is_unstable("readers", ORDERS)


def test_the_commit_with_the_later_record_applies(manager: OffsetMetadataManager) -> None:
    manager.replay(record_of(9, 1), PRODUCER_ID)
    manager.replay(record_of(3, 2))
    manager.complete_transaction(PRODUCER_ID, is_commit=True)
    assert committed_offset(manager) == 3


def test_a_tombstone_removes_committed_and_pending_offsets(manager: OffsetMetadataManager) -> None:
    manager.replay(record_of(5, 0))
    manager.replay(record_of(9, 1), PRODUCER_ID)
    manager.replay(record_of(None, 2))
    assert committed_offset(manager) is None
    assert not manager.is_unstable("readers", ORDERS)
    manager.complete_transaction(PRODUCER_ID, is_commit=True)
    assert committed_offset(manager) is None
    manager.replay(record_of(None, 3))
    assert manager.as_text() == []


def test_the_text_shows_committed_and_pending_offsets(manager: OffsetMetadataManager) -> None:
    manager.replay(record_of(5, 0))
    manager.replay(record_of(9, 1), PRODUCER_ID)
    five, nine = (record_of(offset, at).value for offset, at in ((5, 0), (9, 1)))
    assert five is not None
    assert nine is not None
    assert manager.as_text() == [
        f"group readers orders-0 {five.as_text()}",
        f"group readers orders-0 {nine.as_text()} waits for producer 42",
    ]


def test_the_tombstones_of_a_topic_name_all_its_known_offsets(
    manager: OffsetMetadataManager,
) -> None:
    other = TopicPartition("orders", 1)
    manager.replay(record_of(5, 0))
    manager.replay(record_of(6, 1, TopicPartition("bills", 0)))
    manager.replay(record_of(7, 2, other), PRODUCER_ID)
    assert manager.of_topic("orders") == [
        OffsetRecord("readers", ORDERS, None),
        OffsetRecord("readers", other, None),
    ]
    assert manager.of_topic("nothing") == []


def test_the_first_record_that_is_needed_is_that_of_the_oldest_offset(
    manager: OffsetMetadataManager,
) -> None:
    manager.replay(record_of(5, 3), PRODUCER_ID)
    manager.replay(record_of(6, 4, TopicPartition("bills", 0)))
    assert manager.first_record_offset() == 3
    manager.complete_transaction(PRODUCER_ID, is_commit=False)
    assert manager.first_record_offset() == 4
