"""Errors for the records of one partition of a produce request."""

from enum import Enum
from typing import NamedTuple

from mockbroker.protocol.errors import ApiError, ErrorCode


class RecordError(NamedTuple):
    """Rejected record: its index in the batch, and the reason (KIP-467)."""

    batch_index: int
    message: str | None


class Scope(Enum):
    """Extent of an error: the partition, all partitions of the request, or the connection."""

    PARTITION = "partition"
    REQUEST = "request"
    CONNECTION = "connection"


class RecordsRefused(ApiError):  # noqa: N818  named after the outcome, as in Kafka
    """Rejection of produced records, with the fields of the response.

    `error_message` and `record_errors` go into the response unchanged; `why` is for the log.
    `knows_log_start_offset` is False if the response has -1 instead of the partition's log start
    offset, because the records were rejected before the log was read.
    """

    __slots__ = ("error_message", "knows_log_start_offset", "record_errors", "scope")

    def __init__(
        self,
        code: ErrorCode,
        why: str,
        *,
        error_message: str | None = None,
        record_errors: tuple[RecordError, ...] = (),
        knows_log_start_offset: bool = True,
        scope: Scope = Scope.PARTITION,
    ) -> None:
        super().__init__(code, why)
        self.error_message = error_message
        self.record_errors = record_errors
        self.knows_log_start_offset = knows_log_start_offset
        self.scope = scope


def null_records_refused(
    scope: Scope = Scope.PARTITION, code: ErrorCode = ErrorCode.INVALID_RECORD
) -> RecordsRefused:
    """Return the error for a partition whose records are null.

    Kafka 4.4 never responds to such a request, which is a bug in Kafka; here the error is
    INVALID_RECORD, or a closed connection in the releases that close it. In 3.6 the append fails
    with UNKNOWN_SERVER_ERROR.
    """
    return RecordsRefused(
        code,
        "the records are null",
        knows_log_start_offset=code is ErrorCode.UNKNOWN_SERVER_ERROR,
        scope=scope,
    )
