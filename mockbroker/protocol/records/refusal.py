"""How a broker refuses the records of one partition of a produce request."""

from enum import Enum
from typing import NamedTuple

from mockbroker.protocol.errors import ApiError, ErrorCode


class RecordError(NamedTuple):
    """One record that is refused: its number in the batch, and why (KIP-467)."""

    batch_index: int
    message: str | None


class Scope(Enum):
    """What a refusal strikes: the partition, all partitions of the request, the connection."""

    PARTITION = "partition"
    REQUEST = "request"
    CONNECTION = "connection"


class RecordsRefused(ApiError):  # noqa: N818  named as what happened, like Kafka's own outcomes
    """A refusal of produced records, with everything the answer says about it.

    `error_message` and `record_errors` go into the answer as they are; `why` is for the log.
    `knows_log_start_offset` tells whether the answer has the partition's log start offset, or -1
    because the refusal came before the log was asked.
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


def null_records_refused(scope: Scope = Scope.PARTITION) -> RecordsRefused:
    """Refuse a partition that has null for records.

    Kafka 4.4 never answers such a request, which is a bug of its own; here it is INVALID_RECORD,
    or a closed connection in the releases that close it.
    """
    return RecordsRefused(
        ErrorCode.INVALID_RECORD,
        "the records are null",
        knows_log_start_offset=False,
        scope=scope,
    )
