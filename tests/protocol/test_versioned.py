"""Messages behind their version."""

import pytest

from mockbroker.protocol.codec import decode, encode
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.log_records.offset_commit import OffsetCommitKey, OffsetCommitValue
from mockbroker.protocol.versioned import VERSION_BYTES, read_version, write_key, write_versioned

KEY = OffsetCommitKey(group="readers", topic="orders", partition=4)
VALUE = OffsetCommitValue(offset=7, metadata="x")


@pytest.mark.parametrize("version", range(5))
def test_a_value_is_written_after_its_version(version: int) -> None:
    written = write_versioned(VALUE, version)
    assert read_version(written) == version
    assert written[VERSION_BYTES:] == encode(VALUE, version)


def test_a_key_is_written_after_the_number_of_its_kind() -> None:
    written = write_key(1, KEY)
    assert read_version(written) == 1
    assert decode(OffsetCommitKey, 0, written, VERSION_BYTES) == KEY


@pytest.mark.parametrize("data", [b"", b"\0"])
def test_no_room_for_a_version_is_an_error(data: bytes) -> None:
    with pytest.raises(DecodeError, match=f"{len(data)} bytes hold no version"):
        read_version(data)
