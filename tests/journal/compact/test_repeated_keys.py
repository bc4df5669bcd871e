"""Records that are there twice by a key."""

from mockbroker.broker.stored_records import StoredRecord
from mockbroker.journal.compact.repeated_keys import repeated_keys


def record(offset: int, partition: int = 0) -> StoredRecord:
    return StoredRecord("orders", partition, offset, 0, None, b"a", (), -1, -1, -1, False)


def test_by_a_key_records_of_any_partition_are_compared() -> None:
    keyed = [("x", record(0)), ("y", record(1)), ("x", record(5, 1)), ("x", record(6, 1))]
    first, second = repeated_keys(keyed)
    assert first.text == "orders-1: offset 5 has the key 'x', as has orders-0 offset 0"
    assert (second.place, second.note) == (("orders", 1, 6), "DUPLICATE")
    assert repeated_keys(keyed[:2]) == []
