"""Shape checks of a partition's records, which come before all others."""

import struct

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.records.batch import build_batch
from mockbroker.protocol.records.record import Record
from mockbroker.protocol.records.validation.batch_rules import RULES_OF_2_4, RULES_OF_4_4
from mockbroker.protocol.records.validation.batch_shape import shape_refusal
from mockbroker.protocol.records.validation.refusal import Scope

BATCH = build_batch([Record(value=b"v")])


def of_size(size_bytes: int) -> bytes:
    return struct.pack(">qiib", 0, size_bytes - 12, 0, 2).ljust(size_bytes, b"\0")


@pytest.mark.parametrize("behind", [b"", bytes(11), BATCH[:12], BATCH[:40], BATCH[:-1]])
def test_one_batch_is_enough_and_a_partial_one_after_it_is_ignored(behind: bytes) -> None:
    data = b"xx" + BATCH + behind
    assert shape_refusal(data, 2, len(data), RULES_OF_4_4) is None


@pytest.mark.parametrize(
    ("data", "code", "scope"),
    [
        (b"", ErrorCode.INVALID_RECORD, Scope.PARTITION),
        (BATCH[:16], ErrorCode.INVALID_RECORD, Scope.PARTITION),
        (BATCH[:-1], ErrorCode.INVALID_RECORD, Scope.PARTITION),
        (BATCH * 2, ErrorCode.INVALID_RECORD, Scope.PARTITION),
        (BATCH[:16] + b"\1" + BATCH[17:], ErrorCode.INVALID_RECORD, Scope.PARTITION),
        (BATCH + bytes(12), ErrorCode.CORRUPT_MESSAGE, Scope.PARTITION),
        (of_size(51), ErrorCode.CORRUPT_MESSAGE, Scope.PARTITION),
        (of_size(60), ErrorCode.CORRUPT_MESSAGE, Scope.PARTITION),
        (of_size(42) + bytes(19), ErrorCode.CORRUPT_MESSAGE, Scope.PARTITION),
        (bytes(12), ErrorCode.CORRUPT_MESSAGE, Scope.REQUEST),
        (BATCH[:16] + b"\3" + BATCH[17:], ErrorCode.CORRUPT_MESSAGE, Scope.REQUEST),
        (of_size(26), ErrorCode.UNKNOWN_SERVER_ERROR, Scope.REQUEST),
        (of_size(50), ErrorCode.UNKNOWN_SERVER_ERROR, Scope.REQUEST),
    ],
)
def test_anything_else_is_refused(data: bytes, code: ErrorCode, scope: Scope) -> None:
    refusal = shape_refusal(data, 0, len(data), RULES_OF_4_4)
    assert refusal is not None
    assert (refusal.code, refusal.scope) == (code, scope)
    assert not refusal.knows_log_start_offset


@pytest.mark.parametrize("data", [b"", bytes(12), of_size(26), BATCH[:16] + b"\3" + BATCH[17:]])
def test_older_releases_close_the_connection_if_no_batch_comes_first(data: bytes) -> None:
    refusal = shape_refusal(data, 0, len(data), RULES_OF_2_4)
    assert refusal is not None
    assert refusal.scope is Scope.CONNECTION


def test_a_magic_byte_is_reported_as_signed() -> None:
    refusal = shape_refusal(BATCH[:16] + b"\xff" + BATCH[17:], 0, len(BATCH), RULES_OF_4_4)
    assert refusal is not None
    assert refusal.error_message == "Invalid magic found in record: -1"


def test_old_releases_close_the_connection_at_a_second_batch() -> None:
    twice = BATCH + BATCH
    for scope in (Scope.PARTITION, Scope.CONNECTION):
        rules = RULES_OF_2_4._replace(foreign_scope=scope)
        refusal = shape_refusal(twice, 0, len(twice), rules)
        assert refusal is not None
        assert (refusal.code, refusal.scope) == (ErrorCode.INVALID_RECORD, scope)


@pytest.mark.parametrize(
    ("codec", "code", "scope"),
    [
        (4, ErrorCode.UNSUPPORTED_COMPRESSION_TYPE, Scope.PARTITION),
        (5, ErrorCode.UNKNOWN_SERVER_ERROR, Scope.REQUEST),
    ],
)
def test_a_codec_is_checked_before_a_second_batch_if_zstd_is_not_allowed(
    codec: int, code: ErrorCode, scope: Scope
) -> None:
    data = (BATCH[:22] + bytes([codec]) + BATCH[23:]) * 2
    refusal = shape_refusal(data, 0, len(data), RULES_OF_4_4, allows_zstd=False)
    assert refusal is not None
    assert (refusal.code, refusal.scope) == (code, scope)
    allowed = shape_refusal(data, 0, len(data), RULES_OF_4_4)
    assert allowed is not None
    assert allowed.code is ErrorCode.INVALID_RECORD
