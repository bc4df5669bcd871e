"""Errors of produced records."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.records.validation.refusal import (
    RecordsRefused,
    Scope,
    null_records_refused,
)


def test_a_refusal_is_an_api_error_of_its_partition() -> None:
    refusal = RecordsRefused(ErrorCode.INVALID_RECORD, "why")
    assert isinstance(refusal, ApiError)
    assert str(refusal) == "INVALID_RECORD: why"
    assert (refusal.scope, refusal.knows_log_start_offset) == (Scope.PARTITION, True)
    assert (refusal.error_message, refusal.record_errors) == (None, ())


@pytest.mark.parametrize("scope", [Scope.PARTITION, Scope.CONNECTION])
def test_null_records_are_answered_or_close_the_connection(scope: Scope) -> None:
    refusal = null_records_refused(scope)
    assert (refusal.code, refusal.scope) == (ErrorCode.INVALID_RECORD, scope)
    assert not refusal.knows_log_start_offset


def test_null_records_that_fail_the_append_are_told_the_log_start_offset() -> None:
    refusal = null_records_refused(code=ErrorCode.UNKNOWN_SERVER_ERROR)
    assert (refusal.code, refusal.knows_log_start_offset) == (ErrorCode.UNKNOWN_SERVER_ERROR, True)
