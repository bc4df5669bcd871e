"""What rules are given of a ledger and of the logs, at one moment."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from mockbroker.audit.attempt import Attempt
from mockbroker.audit.log_evidence import LogEvidence
from mockbroker.events.produce_outcome import Answer, Appended
from mockbroker.journal.compact.partition_view import PartitionView
from mockbroker.journal.compact.row import Flag, Row
from mockbroker.journal.compact.transaction_event import Decision, EpochGiven
from mockbroker.protocol.errors import ErrorCode

# Enums cost much where there are many rows.
_APPENDED: Final = tuple(sorted(Appended))
_ANSWERS: Final = tuple(sorted(Answer))
_TRANSACTIONAL: Final = int(Flag.TRANSACTIONAL)
_REPEATED: Final = int(Flag.REPEATED)


class Excerpt(NamedTuple):
    """The partitions in which not everything is regular, and what else of the ledger is of use."""

    logs: Sequence[LogEvidence]
    decisions: Sequence[Decision]
    epochs: Sequence[EpochGiven]
    views: Callable[[LogEvidence], PartitionView]
    """Looks at one of them as it is now."""
    late: frozenset[int] = frozenset()
    """The producers that may have written too late; nothing is said of what became of it."""


def attempt_of(row: Row, clients: Mapping[int, str | None]) -> Attempt:
    """Return what a row says as an attempt; the ledger's order is that of its moments."""
    return Attempt(
        call=row.call_number,
        connection=row.connection,
        client_id=clients.get(row.connection),
        came_at=row.came_at,
        producer_id=row.producer_id,
        producer_epoch=row.producer_epoch,
        base_sequence=row.base_sequence,
        record_count=row.record_count,
        is_transactional=row.flags & _TRANSACTIONAL != 0,
        appended=_APPENDED[row.appended],
        appended_at=row.appended_at,
        base_offset=row.base_offset,
        leader_epoch=row.leader_epoch,
        answer=_ANSWERS[row.answer],
        error=ErrorCode(row.error_code).name if row.error_code else None,
        answered_at=row.answered_at,
        is_repeated=row.flags & _REPEATED != 0,
        time_ms=row.now_ms,
    )
