"""Evidence of one log: the batches sent to it, its truncations, and its extent."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, NamedTuple, TypeAlias

from mockbroker.audit.attempt import Attempt
from mockbroker.events.produce_outcome import Appended

Identities: TypeAlias = Callable[[Attempt, int], Sequence[tuple[int, int, Hashable]]]
"""Returns the content of a batch up to an offset: first offset, number of records, and identity.
Equal identities are equal records. Evidence with records returns each of them; evidence with
checksums returns a batch as a whole. The result is empty if the content is unknown."""


class LogTruncation(NamedTuple):
    """A truncation of a log's end."""

    at: int
    """The moment."""
    end_offset: int
    """The log end offset after the truncation."""
    leader_epoch: int | None = None
    """If only an isolated broker had the records: the leader epoch under which it appended them."""

    def removes(self, attempt: Attempt) -> bool:
        """Return whether an appended batch, or its last records, were truncated."""
        return (
            self.at > attempt.appended_at
            and self.end_offset <= attempt.last_offset
            and self.leader_epoch in {None, attempt.leader_epoch}
        )


class Elected(NamedTuple):
    """An election of a leader."""

    at: int
    """The moment."""
    leader_epoch: int


class Decided(NamedTuple):
    """A commit or an abort: logged by a coordinator, or proved by a marker."""

    at: int
    """The moment."""
    producer_id: int
    producer_epoch: int | None
    """The epoch of the transaction's batches, which may differ from that of its markers. None for a
    marker, which ends its producer's open transaction."""
    is_commit: bool
    offset: int = -1
    """Of a marker in the log."""


class Extent(NamedTuple):
    """The offsets that a log has."""

    log_start_offset: int
    log_end_offset: int
    epoch_end: Callable[[int], int]
    """Returns the end offset of the records of a leader epoch."""


def _zero(_leader_epoch: int) -> int:
    return 0


def _none(_attempt: Attempt, _last: int) -> Sequence[tuple[int, int, Hashable]]:
    return ()


_NO_EXTENT: Final = Extent(0, 0, _zero)
_FirstTry: TypeAlias = tuple[int, int]


def by_producer(decisions: Iterable[Decided]) -> dict[int, list[Decided]]:
    """Group decisions by producer id, in order."""
    found: defaultdict[int, list[Decided]] = defaultdict(list)
    for each in sorted(decisions, key=lambda each: each.at):
        found[each.producer_id].append(each)
    return dict(found)


@dataclass(frozen=True, kw_only=True)
class LogEvidence:
    """One log: a partition of a topic from its creation to its deletion."""

    topic: str
    partition: int
    attempts: Iterable[Attempt]
    """They can be iterated any number of times."""
    extent: Extent
    identities: Identities
    cuts: Sequence[LogTruncation] = ()
    elections: Sequence[Elected] = ()
    decisions: Mapping[int, Sequence[Decided]] = field(default_factory=dict)
    """By producer id, in order."""
    reset_seq: int | None = None
    """The moment of the reset that ended it, after which decisions are those of other producers."""
    ends: Callable[[], Mapping[int, bool]] = dict[int, bool]
    """Returns by base offset whether the markers that the log has commit a batch. Evidence of a
    cluster has those of all batches; a journal has those of batches whose own marker is gone."""

    @property
    def place(self) -> str:
        """The partition in Kafka's notation: `orders-0`."""
        return f"{self.topic}-{self.partition}"

    def in_order(self, key: Callable[[Attempt], tuple[int, int]]) -> "LogEvidence":
        """Return the same with all attempts in memory, and in order."""
        return replace(self, attempts=sorted(self.attempts, key=key))

    def without_attempts(self) -> "LogEvidence":
        """Return what tells the causes of losses, which can be sent to other processes."""
        return replace(self, attempts=(), extent=_NO_EXTENT, identities=_none, ends=dict)

    def cut_offset(self, attempt: Attempt) -> int | None:
        """Return the first offset of an attempt's records that the log lost, or None.

        The records were truncated, or were only in the log of an isolated leader. For a recognised
        retry, the records are those of the first try. Records that were deleted at the log's start
        do not count.
        """
        tried = attempt if attempt.appended == Appended.YES else self._first_try(attempt)
        extent = self.extent
        if tried is None:
            ends = [extent.log_end_offset]
        else:
            ends = [cut.end_offset for cut in self.cuts if cut.removes(tried)]
            if self.replacement_of(tried) is not None:
                ends.append(attempt.base_offset)
            if attempt.base_offset >= extent.log_start_offset:
                ends.append(extent.epoch_end(tried.leader_epoch))
        end = min(ends, default=attempt.last_offset + 1)
        return max(end, attempt.base_offset) if end <= attempt.last_offset else None

    def cut_of(self, attempt: Attempt) -> LogTruncation | None:
        """Return the truncation that removed an attempt, if there is one."""
        return next((cut for cut in self.cuts if cut.removes(attempt)), None)

    def replacement_of(self, attempt: Attempt) -> Elected | None:
        """Return the election before which another leader appended an attempt; None if none did.

        That leader was isolated, and its records are in no other log.
        """
        before = (
            each
            for each in self.elections
            if each.at < attempt.appended_at and each.leader_epoch > attempt.leader_epoch
        )
        return next(before, None)

    def is_promised(self, attempt: Attempt) -> bool:
        """Return whether the records must persist: those of a transaction if it is committed."""
        decided = self.decision_of(attempt) if attempt.is_transactional else None
        return not attempt.is_transactional or (decided is not None and decided.is_commit)

    def decision_of(self, attempt: Attempt) -> Decided | None:
        """Return the decision about the transaction of a batch; None if there is none."""
        for decided in self.decisions.get(attempt.producer_id, ()):
            is_its = decided.producer_epoch in {None, attempt.producer_epoch}
            if is_its and decided.at > attempt.appended_at:
                is_of_another = self.reset_seq is not None and decided.at > self.reset_seq
                return None if is_of_another else decided
        return None

    def _first_try(self, attempt: Attempt) -> Attempt | None:
        """Return the appended batch of which an attempt is a retry, if it is known."""
        tries = self._first_tries.get((attempt.base_offset, attempt.producer_id), ())
        before = [each for each in tries if each.appended_at < attempt.appended_at]
        return before[-1] if before else None

    @cached_property
    def _first_tries(self) -> Mapping[_FirstTry, Sequence[Attempt]]:
        """Find the appended batches that were retried, in the order of their appends."""
        found: dict[_FirstTry, list[Attempt]] = {
            (each.base_offset, each.producer_id): []
            for each in self.attempts
            if each.appended == Appended.RETRY
        }
        for each in self.attempts if found else ():
            tries = found.get((each.base_offset, each.producer_id))
            if tries is not None and each.appended == Appended.YES:
                tries.append(each)
        for tries in found.values():
            tries.sort(key=lambda each: each.appended_at)
        return found
