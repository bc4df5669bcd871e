"""Offsets of groups, committed and pending."""

import pytest

from mockbroker.protocol.types import TopicPartition
from mockbroker.state.group.offset_and_metadata import OffsetAndMetadata
from mockbroker.state.group.offset_metadata_manager import OffsetMetadataManager

ORDERS = TopicPartition("orders", 0)
HOME = 7
PRODUCER_ID = 42


def offset_of(offset: int, record_offset: int) -> OffsetAndMetadata:
    return OffsetAndMetadata(offset, 0, "", 1_000, record_offset=record_offset)


@pytest.fixture
def manager() -> OffsetMetadataManager:
    return OffsetMetadataManager()


def committed_offset(manager: OffsetMetadataManager, group_id: str = "readers") -> int | None:
    found = manager.committed(group_id, ORDERS)
    return None if found is None else found.offset


def commit_in_transaction(manager: OffsetMetadataManager, offset: OffsetAndMetadata) -> None:
    manager.commit_in_transaction(HOME, PRODUCER_ID, "readers", ORDERS, offset)


def test_a_group_that_committed_nothing_has_nothing(manager: OffsetMetadataManager) -> None:
    assert committed_offset(manager) is None
    assert "readers" not in manager
    assert manager.committed_partitions("readers") == []


def test_a_commit_counts_at_once(manager: OffsetMetadataManager) -> None:
    manager.commit("readers", ORDERS, offset_of(5, 0))
    assert committed_offset(manager) == 5
    assert manager.committed_partitions("readers") == [ORDERS]
    assert committed_offset(manager, "others") is None
    assert not manager.is_unstable("readers", ORDERS)


def test_a_commit_in_a_transaction_waits_for_its_end(manager: OffsetMetadataManager) -> None:
    manager.commit("readers", ORDERS, offset_of(5, 0))
    commit_in_transaction(manager, offset_of(9, 1))
    assert committed_offset(manager) == 5
    assert manager.is_unstable("readers", ORDERS)
    assert not manager.is_unstable("readers", TopicPartition("orders", 1))
    assert not manager.is_unstable("others", ORDERS)
    manager.complete_transaction(HOME, PRODUCER_ID, is_commit=True)
    assert committed_offset(manager) == 9
    assert not manager.is_unstable("readers", ORDERS)


def test_what_was_aborted_is_forgotten(manager: OffsetMetadataManager) -> None:
    before = manager.as_text()
    commit_in_transaction(manager, offset_of(9, 1))
    assert manager.committed_partitions("readers") == []
    assert "readers" in manager
    manager.complete_transaction(HOME, PRODUCER_ID, is_commit=False)
    assert manager.as_text() == before


@pytest.mark.parametrize(("home", "producer_id"), [(HOME + 1, PRODUCER_ID), (HOME, 1)])
def test_another_marker_ends_nothing(
    manager: OffsetMetadataManager, home: int, producer_id: int
) -> None:
    commit_in_transaction(manager, offset_of(9, 1))
    before = manager.as_text()
    manager.complete_transaction(home, producer_id, is_commit=True)
    assert manager.as_text() == before


def test_the_later_record_counts_even_if_the_transaction_ends_after_it(
    manager: OffsetMetadataManager,
) -> None:
    commit_in_transaction(manager, offset_of(9, 1))
    manager.commit("readers", ORDERS, offset_of(3, 2))
    manager.complete_transaction(HOME, PRODUCER_ID, is_commit=True)
    assert committed_offset(manager) == 3


def test_the_text_shows_what_is_committed_and_what_waits(manager: OffsetMetadataManager) -> None:
    manager.commit("readers", ORDERS, offset_of(5, 0))
    commit_in_transaction(manager, offset_of(9, 1))
    assert manager.as_text().splitlines() == [
        f"group readers orders-0 {offset_of(5, 0).as_text()}",
        f"group readers orders-0 {offset_of(9, 1).as_text()} waits for producer 42 in partition 7",
    ]


def test_a_topic_that_is_deleted_is_forgotten(manager: OffsetMetadataManager) -> None:
    manager.commit("readers", ORDERS, offset_of(5, 0))
    manager.commit("readers", TopicPartition("other", 0), offset_of(6, 1))
    commit_in_transaction(manager, offset_of(9, 2))
    manager.forget_topic("orders")
    assert committed_offset(manager) is None
    assert not manager.is_unstable("readers", ORDERS)
    assert manager.committed_partitions("readers") == [TopicPartition("other", 0)]


def test_an_offset_is_unstable_until_the_last_transaction_that_has_it_ends(
    manager: OffsetMetadataManager,
) -> None:
    for producer_id in (1, 2):
        for record_offset in (producer_id, producer_id + 10):
            manager.commit_in_transaction(
                HOME, producer_id, "readers", ORDERS, offset_of(record_offset, record_offset)
            )
    manager.complete_transaction(HOME, 2, is_commit=True)
    assert manager.is_unstable("readers", ORDERS)
    manager.complete_transaction(HOME, 1, is_commit=False)
    assert not manager.is_unstable("readers", ORDERS)
    assert committed_offset(manager) == 12
