"""Keys and values of the transaction log's records."""

import pytest

from mockbroker.broker.internal_records.transaction_record import (
    read_key,
    read_value,
    write_key,
    write_value,
)
from mockbroker.protocol.errors import DecodeError
from mockbroker.state.transaction.transaction_log import TransactionLogValue

VALUE = TransactionLogValue(5, 1, 60_000, 0, None, 17, -1)


@pytest.mark.parametrize("transactional_id", ["mine", "", "ä漢🙂", "x" * 30_000])
def test_a_key_is_read_as_it_was_written(transactional_id: str) -> None:
    assert read_key(write_key(transactional_id)) == transactional_id


@pytest.mark.parametrize("key", [None, b"", b"\0", b"\0\1\0\1m"])
def test_another_key_is_no_transactional_id(key: bytes | None) -> None:
    assert read_key(key) is None


def test_a_key_that_is_cut_off_is_an_error() -> None:
    with pytest.raises(DecodeError):
        read_key(write_key("mine")[:-1])


@pytest.mark.parametrize("version", [0, 1])
def test_a_value_is_read_as_it_was_written(version: int) -> None:
    assert read_value(write_value(VALUE, version)) == VALUE


def test_a_value_of_another_version_is_an_error() -> None:
    with pytest.raises(DecodeError, match="version"):
        read_value(b"\0\2" + write_value(VALUE, 1)[2:])
