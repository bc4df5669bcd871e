"""The leader epochs of a log and their start offsets (KIP-101, KIP-320)."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
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
        """The last epoch that lost its first records: it wrote records even if none are left."""
        self._leader_epochs: list[int] = []
        self._start_offsets: list[int] = []

    def __repr__(self) -> str:
        """Show the entries as `0@0, 3@120`: leader epoch, first offset."""
        pairs = zip(self._leader_epochs, self._start_offsets, strict=True)
        return ", ".join(f"{leader_epoch}@{offset}" for leader_epoch, offset in pairs) or "none"

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """Yield each leader epoch with its first offset, oldest first."""
        return iter(list(zip(self._leader_epochs, self._start_offsets, strict=True)))

    @property
    def latest_epoch(self) -> int:
        """The latest epoch, or -1."""
        return self._leader_epochs[-1] if self._leader_epochs else UNDEFINED_EPOCH

    @property
    def latest_start_offset(self) -> int:
        """The start offset of the latest epoch, or -1."""
        return self._start_offsets[-1] if self._start_offsets else UNDEFINED_EPOCH_OFFSET

    def assign(self, leader_epoch: int, start_offset: int) -> None:
        """Start `leader_epoch` at `start_offset`, and remove entries that contradict this."""
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
        """Return the epoch that wrote `offset`, or -1 if it is unknown."""
        entry = bisect_right(self._start_offsets, offset) - 1
        return self._leader_epochs[entry] if entry >= 0 else UNDEFINED_EPOCH

    def end_offset_for(self, leader_epoch: int, log_end_offset: int) -> EpochEndOffset:
        """Return the largest known epoch up to `leader_epoch`, and its end offset.

        The latest epoch ends at the log end offset. An epoch older than all known epochs ends where
        the first known epoch starts. For an epoch that is not known yet the answer is (-1, -1).
        """
        if leader_epoch == UNDEFINED_EPOCH or leader_epoch > self.latest_epoch:
            return EpochEndOffset(UNDEFINED_EPOCH, UNDEFINED_EPOCH_OFFSET)
        if leader_epoch == self.latest_epoch:
            return EpochEndOffset(leader_epoch, log_end_offset)
        higher = bisect_right(self._leader_epochs, leader_epoch)
        floor_epoch = self._leader_epochs[higher - 1] if higher else leader_epoch
        return EpochEndOffset(floor_epoch, self._start_offsets[higher])

    def end_offset_for_written(
        self, leader_epoch: int, log_end_offset: int, *, none_is_an_epoch: bool = False
    ) -> EpochEndOffset:
        """Answer like `end_offset_for` from epochs that wrote records; (-1, -1) outside of these.

        Releases in which an epoch began with its first record answered this way. If
        `none_is_an_epoch`, -1 is the epoch of a log without any.
        """
        written = self._leader_epochs[: bisect_left(self._start_offsets, log_end_offset)]
        if not written and self._shortened_epoch in self._leader_epochs:
            written = [self._shortened_epoch]
        if none_is_an_epoch and not written and leader_epoch == UNDEFINED_EPOCH:
            return EpochEndOffset(UNDEFINED_EPOCH, log_end_offset)
        if not written or not written[0] <= leader_epoch <= written[-1]:
            return EpochEndOffset(UNDEFINED_EPOCH, UNDEFINED_EPOCH_OFFSET)
        if leader_epoch == written[-1]:
            return EpochEndOffset(leader_epoch, log_end_offset)
        higher = bisect_right(written, leader_epoch)
        return EpochEndOffset(written[higher - 1], self._start_offsets[higher])

    def truncate_from_start(self, start_offset: int) -> None:
        """Remove epochs that ended before `start_offset`; the epoch that wrote it starts there."""
        gone = bisect_right(self._start_offsets, start_offset)
        if gone:
            del self._leader_epochs[: gone - 1], self._start_offsets[: gone - 1]
            if self._start_offsets[0] < start_offset:
                self._shortened_epoch = self._leader_epochs[0]
            self._start_offsets[0] = start_offset

    def truncate_from_end(self, end_offset: int) -> None:
        """Remove the epochs that start at or after `end_offset`."""
        kept = bisect_left(self._start_offsets, end_offset)
        del self._leader_epochs[kept:], self._start_offsets[kept:]

    def copy(self) -> "LeaderEpochCache":
        """Return a copy with the same entries."""
        made = LeaderEpochCache()
        made._leader_epochs, made._start_offsets = self._leader_epochs[:], self._start_offsets[:]
        made._shortened_epoch = self._shortened_epoch
        return made
