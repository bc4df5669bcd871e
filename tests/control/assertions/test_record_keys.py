"""Keys by which assertions identify records."""

import pytest

from mockbroker.broker.stored_records import StoredRecord
from mockbroker.control.assertions.record_keys import key_function, repeated_keys

RECORD = StoredRecord("orders", 0, 3, 0, b"k", b"v", [("id", b"7")], -1, -1, -1, False)


def test_a_key_is_a_name_or_a_function() -> None:
    assert key_function("value")(RECORD) == "v"
    assert key_function("key")(RECORD) == "k"
    assert key_function("header:id")(RECORD) == "7"
    assert key_function("json:$.id")(RECORD._replace(value=b'{"id": 7}')) == "7"
    assert key_function("header:other")(RECORD) is None
    assert key_function(lambda record: record.offset)(RECORD) == 3


@pytest.mark.parametrize("word", ["", "header:", "json:", "offset", "off"])
def test_an_unknown_name_is_refused(word: str) -> None:
    with pytest.raises(ValueError, match="allowed are key, value, header:NAME, json:PATH"):
        key_function(word)


def record(offset: int, partition: int = 0, key: bytes | None = None) -> StoredRecord:
    return StoredRecord("orders", partition, offset, 0, key, b"a", (), -1, -1, -1, False)


def test_by_a_key_records_of_any_partition_are_compared() -> None:
    records = [record(0, 0, b"x"), record(1, 0, b"y"), record(5, 1, b"x"), record(6, 1, b"x")]
    first, second = repeated_keys("key", records)
    assert first.text == "orders-1: offset 5 has the key 'x', like orders-0 offset 0"
    assert (second.rule, second.place) == ("REPEATED_KEY", "orders-1")
    assert second.first_offset == 6
    assert repeated_keys("key", records[:2]) == []


def test_records_without_a_key_are_left_out_unless_none_has_one() -> None:
    assert repeated_keys("key", [record(0), record(1), record(2, 0, b"x")]) == []
    assert repeated_keys("key", []) == []
    (finding,) = repeated_keys("header:id", [record(0), record(1)])
    assert finding.text == "orders: none of its 2 records has header:id, so none was compared"
    assert "leave key out" in finding.advice
