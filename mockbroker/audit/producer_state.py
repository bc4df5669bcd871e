"""State of a producer in a partition, and comparison of its sequences."""

from dataclasses import dataclass
from typing import Final

from mockbroker.audit.runs.run import SEQUENCES, Run

HALF: Final = SEQUENCES // 2
"""Sequences less than this far ahead count as ahead; others as behind."""
NO_EPOCH: Final = -1


@dataclass(slots=True)
class Stretch:
    """Consecutive batches with the same irregularity, which become one finding."""

    rule: str
    first: Run
    last: Run
    before: int
    """The `seq` of the batch with the highest sequences so far, or with the higher epoch."""
    about: str
    batches: int = 1


@dataclass(slots=True)
class PartitionProducer:
    """A producer in a partition."""

    producer_epoch: int
    """The highest epoch so far; -1 if the producer is unknown again."""
    next_sequence: int
    """The running maximum of the sequences after its batches."""
    maximum_seq: int
    """The `seq` of the batch with that maximum."""
    last_ms: int
    last_offset: int
    epoch_base_offset: int
    """The first offset of its epoch."""
    is_forgotten: bool = False
    """True if the log has forgotten the producer, and accepts any sequence."""
    may_repeat: bool = False
    """True if batches were truncated, whose sequences may be used again."""
    outlier_end: int | None = None
    """After a single batch that does not fit: the sequence that would follow if only its own number
    was wrong. Both are one finding."""
    missing: tuple[tuple[int, int], ...] = ()
    """Gaps of this epoch, which late batches may fill: first sequences and ends."""
    stretch: Stretch | None = None

    def accept(self, run: Run) -> None:
        """Apply a batch that continues the sequence."""
        assert run.producer_epoch is not None, run
        assert run.base_offset is not None, run
        if run.producer_epoch != self.producer_epoch:
            self.missing = ()
            self.epoch_base_offset = run.base_offset
        self.producer_epoch = run.producer_epoch
        self.next_sequence = run.sequence_after
        self.maximum_seq = run.seq
        self.is_forgotten = self.may_repeat = False
        self.outlier_end = None
        self.touch(run)

    def touch(self, run: Run) -> None:
        """Record the time and offset of the last batch."""
        self.last_ms = run.virtual_time_ms
        self.last_offset = max(self.last_offset, run.last_offset or 0)


def is_within(inner: tuple[int, int], outer: tuple[int, int]) -> bool:
    """Return whether a range of sequences is within another; both are (first, end), modulo 2^31."""
    size = (outer[1] - outer[0]) % SEQUENCES
    begin, end = (inner[0] - outer[0]) % SEQUENCES, (inner[1] - outer[0]) % SEQUENCES
    return begin <= end <= size


def overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    """Return whether two ranges of sequences overlap."""
    size, length = (one[1] - one[0]) % SEQUENCES, (other[1] - other[0]) % SEQUENCES
    begin = (other[0] - one[0]) % SEQUENCES
    return begin < size or SEQUENCES - begin < length


def rest_of(outer: tuple[int, int], inner: tuple[int, int]) -> tuple[tuple[int, int], ...]:
    """Return the parts of a range of sequences that are outside another one."""
    parts = [(outer[0], inner[0]), (inner[1], outer[1])]
    return tuple((first, end) for first, end in parts if first != end)
