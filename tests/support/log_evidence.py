"""Attempts and log evidence as inputs of rules."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from mockbroker.audit.attempt import Attempt
from mockbroker.audit.log_evidence import (
    Decided,
    Elected,
    Extent,
    LogEvidence,
    LogTruncation,
    by_producer,
)
from mockbroker.events.produce_outcome import Appended, ResponseOutcome


def attempt(came_at: int, base_offset: int = 0, **changes: Any) -> Attempt:
    """Return an acknowledged attempt of one record without a producer."""
    usual = Attempt(
        call=came_at,
        connection=1,
        client_id=None,
        came_at=came_at,
        appended=Appended.YES,
        appended_at=came_at,
        base_offset=base_offset,
        answer=ResponseOutcome.GIVEN,
        answered_at=came_at,
    )
    return usual._replace(**changes)


def log_evidence(
    *attempts: Attempt,
    contents: Mapping[int, Hashable] | None = None,
    aborted: Sequence[int] = (),
    committed: Sequence[int] = (),
    cuts: Sequence[tuple[int, int] | tuple[int, int, int | None]] = (),
    elections: Sequence[tuple[int, int]] = (),
    log_start: int = 0,
    log_end: int = 1_000,
    epoch_ends: Mapping[int, int] | None = None,
    decisions: Sequence[Decided] = (),
) -> LogEvidence:
    """Return the evidence of `orders-0`; `contents` has the records by offset."""
    records, ends = contents or {}, epoch_ends or {}

    def epoch_end(leader_epoch: int) -> int:
        return ends.get(leader_epoch, log_end)

    def identities(tried: Attempt, last: int) -> Sequence[tuple[int, int, Hashable]]:
        return [
            (offset, 1, identity)
            for offset, identity in records.items()
            if tried.base_offset <= offset <= last
        ]

    return LogEvidence(
        topic="orders",
        partition=0,
        attempts=attempts,
        extent=Extent(log_start, log_end, epoch_end),
        identities=identities,
        cuts=[LogTruncation(cut[0], cut[1], cut[2] if len(cut) > 2 else None) for cut in cuts],
        elections=[Elected(*each) for each in elections],
        decisions=by_producer(decisions),
        ends=lambda: dict.fromkeys(aborted, False) | dict.fromkeys(committed, True),
    )
