"""Which leader epoch wrote from which offset on (KIP-101, KIP-320)."""

from bisect import bisect_left, bisect_right
from typing import Final, NamedTuple

UNDEFINED_EPOCH: Final = -1
UNDEFINED_EPOCH_OFFSET: Final = -1


class EpochEndOffset(NamedTuple):
    """The answer of OffsetForLeaderEpoch: an epoch, and the offset at which it ended."""

    leader_epoch: int
    end_offset: int


class LeaderEpochCache:
    """The first offset of every leader epoch that wrote to a log (Kafka's `LeaderEpochFileCache`).

    Epochs and start offsets both only grow from entry to entry.
    """

    __slots__ = ("_leader_epochs", "_shortened_epoch", "_start_offsets")

    def __init__(self) -> None:
        """Start without entries."""
        self._shortened_epoch = UNDEFINED_EPOCH
        """The epoch whose first records were deleted last: it wrote some, if none are left."""
        self._leader_epochs: list[int] = []
        self._start_offsets: list[int] = []

    def __repr__(self) -> str:
        """Show the entries as `0@0, 3@120`: leader epoch, first offset."""
        pairs = zip(self._leader_epochs, self._start_offsets, strict=True)
        return ", ".join(f"{leader_epoch}@{offset}" for leader_epoch, offset in pairs) or "none"

    @property
    def latest_epoch(self) -> int:
        """The latest epoch, or -1."""
        return self._leader_epochs[-1] if self._leader_epochs else UNDEFINED_EPOCH

    @property
    def latest_start_offset(self) -> int:
        """Where the latest epoch began, or -1."""
        return self._start_offsets[-1] if self._start_offsets else UNDEFINED_EPOCH_OFFSET

    def assign(self, leader_epoch: int, start_offset: int) -> None:
        """Let `leader_epoch` begin at `start_offset`, in place of entries that contradict it."""
        assert leader_epoch >= 0, leader_epoch
        assert start_offset >= 0, start_offset
        if leader_epoch == self.latest_epoch and start_offset >= self._start_offsets[-1]:
            return
        kept = min(
            bisect_left(self._leader_epochs, leader_epoch),
            bisect_left(self._start_offsets, start_offset),
        )
        del self._leader_epochs[kept:], self._start_offsets[kept:]
        self._leader_epochs.append(leader_epoch)
        self._start_offsets.append(start_offset)

    def epoch_for(self, offset: int) -> int:
        """Return the epoch that wrote `offset`, or -1 when that is not known."""
        entry = bisect_right(self._start_offsets, offset) - 1
        return self._leader_epochs[entry] if entry >= 0 else UNDEFINED_EPOCH

    def end_offset_for(self, leader_epoch: int, log_end_offset: int) -> EpochEndOffset:
        """Return the largest known epoch up to `leader_epoch`, and where it ended.

        The latest epoch ends at the log's end. An epoch older than all known ones ends where the
        first known one starts; an epoch that is not known yet has no end: (-1, -1).
        """
        if leader_epoch == UNDEFINED_EPOCH or leader_epoch > self.latest_epoch:
            return EpochEndOffset(UNDEFINED_EPOCH, UNDEFINED_EPOCH_OFFSET)
        if leader_epoch == self.latest_epoch:
            return EpochEndOffset(leader_epoch, log_end_offset)
        higher = bisect_right(self._leader_epochs, leader_epoch)
        floor_epoch = self._leader_epochs[higher - 1] if higher else leader_epoch
        return EpochEndOffset(floor_epoch, self._start_offsets[higher])

    def end_offset_for_written(self, leader_epoch: int, log_end_offset: int) -> EpochEndOffset:
        """Answer as `end_offset_for`, but of epochs that wrote records, and of none before them.

        So did releases in which an epoch began with its first record.
        """
        written = self._leader_epochs[: bisect_left(self._start_offsets, log_end_offset)]
        if not written and self._shortened_epoch in self._leader_epochs:
            written = [self._shortened_epoch]
        if not written or not written[0] <= leader_epoch <= written[-1]:
            return EpochEndOffset(UNDEFINED_EPOCH, UNDEFINED_EPOCH_OFFSET)
        if leader_epoch == written[-1]:
            return EpochEndOffset(leader_epoch, log_end_offset)
        higher = bisect_right(written, leader_epoch)
        return EpochEndOffset(written[higher - 1], self._start_offsets[higher])

    def truncate_from_start(self, start_offset: int) -> None:
        """Forget what ended before `start_offset`; the epoch that wrote it now starts there."""
        gone = bisect_right(self._start_offsets, start_offset)
        if gone:
            del self._leader_epochs[: gone - 1], self._start_offsets[: gone - 1]
            if self._start_offsets[0] < start_offset:
                self._shortened_epoch = self._leader_epochs[0]
            self._start_offsets[0] = start_offset

    def truncate_from_end(self, end_offset: int) -> None:
        """Forget the epochs that began at `end_offset` or behind it."""
        kept = bisect_left(self._start_offsets, end_offset)
        del self._leader_epochs[kept:], self._start_offsets[kept:]

    def copy(self) -> "LeaderEpochCache":
        """Return another one with the same entries."""
        made = LeaderEpochCache()
        made._leader_epochs, made._start_offsets = self._leader_epochs[:], self._start_offsets[:]
        made._shortened_epoch = self._shortened_epoch
        return made
