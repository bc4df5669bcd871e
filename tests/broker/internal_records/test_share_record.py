"""Records of `__share_group_state` in Kafka's bytes."""

from uuid import UUID

import pytest

from mockbroker.broker.internal_records.share_record import read_record, write_record
from mockbroker.protocol.errors import DecodeError
from mockbroker.state.share.share_log_record import (
    ShareGroupOffset,
    ShareLogRecord,
    SharePartitionKey,
    ShareSnapshot,
    ShareUpdate,
)
from mockbroker.state.share.state_batch import StateBatch

KEY = SharePartitionKey("g", UUID(int=7), 3)
BATCHES = (StateBatch(5, 9, 2, 1), StateBatch(10, 10, 0, 4))
SNAPSHOT = ShareSnapshot(KEY, ShareGroupOffset(1, 2, 3, 5, 4, BATCHES, 100, 200))
UPDATE = ShareUpdate(KEY, ShareGroupOffset(1, 0, 3, 5, -1, BATCHES))
KEY_BYTES = b"\0\1g" + bytes(15) + b"\7" + b"\0\0\0\3"


@pytest.mark.parametrize("record", [SNAPSHOT, UPDATE, ShareSnapshot(KEY, None)])
def test_records_are_read_as_they_were_written(record: ShareLogRecord) -> None:
    assert read_record(*write_record(record)) == record


def test_bytes() -> None:
    assert write_record(ShareSnapshot(KEY, None)) == (b"\0\0" + KEY_BYTES, None)
    key, value = write_record(UPDATE)
    assert key == b"\0\1" + KEY_BYTES
    batches = (
        "03 0000000000000005 0000000000000009 02 0001 00"
        "   000000000000000a 000000000000000a 00 0004 00"
    )
    assert value == bytes.fromhex(f"0000 00000001 00000003 0000000000000005 {batches} 00"), (
        "a delivery complete count of -1 is left out"
    )


def test_records_of_other_kinds_are_left_out() -> None:
    assert read_record(None, b"") is None
    assert read_record(b"\0\2" + KEY_BYTES, b"") is None


def test_an_unknown_version_is_refused() -> None:
    with pytest.raises(DecodeError, match="unknown version"):
        read_record(b"\0\0" + KEY_BYTES, b"\0\1")
