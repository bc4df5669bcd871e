"""Keys by which assertions identify records."""

import pytest

from mockbroker.broker.stored_records import StoredRecord
from mockbroker.control.assertions.record_keys import key_function, repeated_keys

RECORD = StoredRecord("orders", 0, 3, 0, b"k", b"v", [("id", b"7")], -1, -1, -1, False)


def test_a_key_is_a_name_or_a_function() -> None:
    assert key_function("value")(RECORD) == b"v"
    assert key_function("key")(RECORD) == b"k"
    assert key_function("header:id")(RECORD) == b"7"
    assert key_function("header:other")(RECORD) is None
    assert key_function(lambda record: record.offset)(RECORD) == 3


@pytest.mark.parametrize("word", ["", "header:", "offset"])
def test_an_unknown_name_is_refused(word: str) -> None:
    with pytest.raises(ValueError, match="allowed are value, key, header:NAME"):
        key_function(word)


def record(offset: int, partition: int = 0) -> StoredRecord:
    return StoredRecord("orders", partition, offset, 0, None, b"a", (), -1, -1, -1, False)


def test_by_a_key_records_of_any_partition_are_compared() -> None:
    keyed = [("x", record(0)), ("y", record(1)), ("x", record(5, 1)), ("x", record(6, 1))]
    first, second = repeated_keys(keyed)
    assert first.text == "orders-1: offset 5 has the key 'x', like orders-0 offset 0"
    assert (second.rule, second.place) == ("REPEATED_KEY", "orders-1")
    assert second.first_offset == 6
    assert repeated_keys(keyed[:2]) == []
