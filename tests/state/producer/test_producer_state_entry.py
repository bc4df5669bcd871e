"""The last five batches of a producer, and their memory use."""

import sys
import tracemalloc

import pytest

from mockbroker.state.log.timestamp_shifts import TimestampShifts
from mockbroker.state.producer.producer_state_entry import (
    MAX_SEQUENCE,
    BatchMetadata,
    ProducerStateEntry,
)
from mockbroker.state.producer.producer_state_manager import ProducerStateManager
from mockbroker.state.producer.producer_state_options import ProducerStateOptions
from tests.state.log_building import idempotent


def entry_after(*base_sequences: int, records: int = 1) -> ProducerStateEntry:
    entry = ProducerStateEntry(7, 0)
    for base_sequence in base_sequences:
        entry.add_batch(base_sequence, 999 + base_sequence + records, records - 1, 50)
    return entry


def test_a_new_entry_is_empty() -> None:
    entry = ProducerStateEntry(7)
    assert entry.is_empty
    assert (entry.producer_epoch, entry.last_sequence, entry.last_timestamp_ms) == (-1, -1, -1)
    assert repr(entry) == (
        "ProducerStateEntry(producer_id=7, producer_epoch=-1, last_timestamp_ms=-1, "
        "current_txn_first_offset=-1, coordinator_epoch=-1, batches=-)"
    )


def test_an_entry_remembers_a_batch_for_its_retry() -> None:
    entry = ProducerStateEntry(7, 0)
    entry.add_batch(10, 504, 4, 99)
    assert not entry.is_empty
    (batch,) = entry.batches()
    assert batch == BatchMetadata(14, 504, 4, 99)
    assert (batch.first_sequence, batch.first_offset) == (10, 500)
    assert (entry.last_sequence, entry.last_timestamp_ms) == (14, 99)


def test_an_entry_remembers_five_batches() -> None:
    entry = entry_after(0, 1, 2, 3, 4, 5, 6)
    assert [batch.first_sequence for batch in entry.batches()] == [2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("producer_epoch", "base_sequence", "last_sequence", "is_found"),
    [
        (0, 0, 9, False),  # the sixth last
        (0, 10, 19, True),
        (0, 50, 59, True),
        (0, 10, 18, False),
        (0, 11, 19, False),
        (0, 10, 29, False),
        (0, 60, 69, False),
        (1, 10, 19, False),
    ],
)
def test_a_duplicate_has_exactly_the_sequences_of_a_remembered_batch(
    producer_epoch: int, base_sequence: int, last_sequence: int, is_found: bool
) -> None:
    entry = entry_after(0, 10, 20, 30, 40, 50, records=10)
    batch = entry.find_duplicate_batch(producer_epoch, base_sequence, last_sequence)
    assert (batch is not None) is is_found
    assert batch is None or batch.first_offset == 1_000 + base_sequence


def test_sequences_wrap_inside_a_batch() -> None:
    entry = ProducerStateEntry(7, 0)
    entry.add_batch(MAX_SEQUENCE - 1, 3, 3, 0)
    assert entry.last_sequence == 1
    batch = entry.find_duplicate_batch(0, MAX_SEQUENCE - 1, 1)
    assert batch is not None
    assert batch.first_sequence == MAX_SEQUENCE - 1


@pytest.mark.parametrize(("batches", "size_bytes_max"), [(1, 700), (5, 1_200)])
def test_an_entry_takes_little_memory(batches: int, size_bytes_max: int) -> None:
    producers = 2_000
    tracemalloc.start()
    manager = ProducerStateManager(ProducerStateOptions())
    before_bytes, _ = tracemalloc.get_traced_memory()
    for producer_id in range(1 << 40, (1 << 40) + producers):
        for base_sequence in range(1_000, 1_000 + batches):
            timestamp_ms = 1_700_000_000_000 + producer_id
            header = idempotent(base_sequence, producer_id=producer_id, timestamp_ms=timestamp_ms)
            entry = manager.check(header)
            assert isinstance(entry, ProducerStateEntry)
            manager.update(entry, header, base_offset=1 << 50)
    after_bytes, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(manager) == producers
    assert (after_bytes - before_bytes) / producers <= size_bytes_max
    assert sys.getsizeof(next(iter(manager))) < 100


def test_an_entry_without_batches_survives_a_snapshot() -> None:
    entry = ProducerStateEntry(7, 2)
    entry.end_transaction(3, 4, 50)
    loaded = ProducerStateEntry.of_snapshot(entry.snapshot())
    assert loaded.is_empty
    assert repr(loaded) == repr(entry)


@pytest.mark.parametrize("last_offset", [0, 1])
def test_a_last_batch_survives_a_snapshot(last_offset: int) -> None:
    entry = ProducerStateEntry(7, 2)
    entry.add_batch(5, last_offset, 0, 50)
    loaded = ProducerStateEntry.of_snapshot(entry.snapshot())
    assert list(loaded.batches()) == [BatchMetadata(5, last_offset, 0, 50)]
    assert repr(loaded) == repr(entry)


@pytest.mark.parametrize(
    ("last_sequence", "is_older"),
    [
        (9, True),
        (10, False),
        (14, False),
        (1, True),
        (0, False),  # as in Kafka 1.0
        (MAX_SEQUENCE, False),
    ],
)
def test_a_batch_may_be_older_than_all_remembered_ones(last_sequence: int, is_older: bool) -> None:
    assert entry_after(10, records=5).is_older_than_remembered(last_sequence) is is_older
    assert not ProducerStateEntry(7).is_older_than_remembered(last_sequence)


def test_no_batch_is_older_than_one_that_begins_with_the_last_sequence() -> None:
    entry = ProducerStateEntry(7)
    entry.add_batch(MAX_SEQUENCE, 0, 0, 0)
    assert not entry.is_older_than_remembered(1)


def test_the_timestamp_of_a_batch_is_shifted_and_that_of_a_marker_is_not() -> None:
    shifts = TimestampShifts()
    shifts.note(1_001, 300)
    entry = entry_after(1)
    assert (entry.last_data_offset, entry.last_timestamp_ms) == (1_001, 50)
    assert entry.shifted_ms(shifts) == 350
    entry.end_transaction(0, 0, 400)
    assert entry.shifted_ms(shifts) == 400
    assert ProducerStateEntry(7).shifted_ms(shifts) == -1


def test_an_entry_that_forgets_its_records_is_that_of_a_new_producer_in_its_epoch() -> None:
    entry = entry_after(10, records=5)
    entry.current_txn_first_offset = 1_010
    entry.forget_records()
    new = ProducerStateEntry(7, 0)
    new.last_timestamp_ms = entry.last_timestamp_ms
    assert repr(entry) == repr(new)
    assert entry.snapshot() == new.snapshot()
    assert entry.is_empty


def test_the_text_of_an_entry_shows_each_batch() -> None:
    shown = repr(entry_after(10, 15, records=5))
    assert shown.endswith("batches=[10..14 @ 1010] [15..19 @ 1015])")
