"""By what a test tells records apart."""

import pytest

from mockbroker.broker.stored_records import StoredRecord
from mockbroker.journal.compact.record_key import key_function

RECORD = StoredRecord("orders", 0, 3, 0, b"k", b"v", [("id", b"7")], -1, -1, -1, False)


def test_a_key_is_a_word_or_a_function() -> None:
    assert key_function("value")(RECORD) == b"v"
    assert key_function("key")(RECORD) == b"k"
    assert key_function("header:id")(RECORD) == b"7"
    assert key_function("header:other")(RECORD) is None
    assert key_function(lambda record: record.offset)(RECORD) == 3


@pytest.mark.parametrize("word", ["", "header:", "offset"])
def test_another_word_is_refused(word: str) -> None:
    with pytest.raises(ValueError, match="allowed are value, key, header:NAME"):
        key_function(word)
