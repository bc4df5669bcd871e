"""The batches of a log by number, found by binary search: no view walks a whole log."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Final, NamedTuple

from mockbroker.protocol.types import Buffer
from mockbroker.state.log.partition_log import PartitionLog

_HEAD: Final = 3
"""Number of batches that an overview shows at the log's start."""
_TAIL: Final = 8
"""Number of batches that an overview shows at the log's end."""


class BatchRun(NamedTuple):
    """Consecutive batches: one, or several that share a column."""

    first: int
    """Number of the first batch."""
    end: int
    """Number after the last batch."""

    @property
    def batches(self) -> int:
        """The number of batches."""
        return self.end - self.first


class BatchIndex:
    """The stored batches of a log, numbered from 0, the batch with the log start offset.

    Its cost is one step per segment, and a binary search per lookup.
    """

    def __init__(self, log: PartitionLog) -> None:
        """Count the batches of each segment."""
        self._log = log
        self._segments = [segment for segment in log.segments if segment.buffers]
        self._bases = [segment.base_offset for segment in self._segments]
        lengths = (len(segment.buffers) for segment in self._segments)
        self._starts = list(accumulate(lengths, initial=0))
        self._dropped = 0
        if self._segments and log.log_start_offset < log.log_end_offset:
            self._dropped = self._stored_number(log.log_start_offset)

    def __len__(self) -> int:
        """Count the batches; none if all records are deleted."""
        if self._log.log_start_offset >= self._log.log_end_offset:
            return 0
        return self._starts[-1] - self._dropped

    def number_of(self, offset: int) -> int:
        """Return the number of the batch that contains an offset, or the nearest one."""
        number = self._stored_number(offset) - self._dropped
        return min(max(number, 0), max(len(self) - 1, 0))

    def data(self, number: int) -> Buffer:
        """Return the bytes of a batch."""
        segment, position = self._place(number)
        return self._segments[segment].buffers[position]

    def base_offset(self, number: int) -> int:
        """Return the offset at which the batches before this one end; of the end, the log's end."""
        if number >= len(self):
            return self._log.log_end_offset
        segment, position = self._place(number)
        return self._segments[segment].base_offsets[position]

    def size_bytes(self, run: BatchRun) -> int:
        """Return the size of batches."""
        return self._position(run.end) - self._position(run.first)

    def _position(self, number: int) -> int:
        if number >= len(self):
            return self._segments[-1].end_position
        segment, position = self._place(number)
        found = self._segments[segment]
        return found.end_positions[position - 1] if position else found.start_position

    def _place(self, number: int) -> tuple[int, int]:
        stored = number + self._dropped
        segment = bisect_right(self._starts, stored) - 1
        return segment, stored - self._starts[segment]

    def _stored_number(self, offset: int) -> int:
        if not self._segments:
            return 0
        segment = max(bisect_right(self._bases, offset) - 1, 0)
        return self._starts[segment] + self._segments[segment].first_batch_of(offset)


def window(index: BatchIndex, from_offset: int, to_offset: int, cells_max: int) -> list[BatchRun]:
    """Divide the batches of a range of offsets: one per run, or equal runs if they are too many."""
    if not len(index) or to_offset <= from_offset:
        return []
    first, end = index.number_of(from_offset), index.number_of(to_offset - 1) + 1
    count = end - first
    cells = min(count, cells_max)
    bounds = [first + count * number // cells for number in range(cells + 1)]
    return [BatchRun(*bound) for bound in pairwise(bounds)]


def overview(index: BatchIndex, focus: Sequence[int], cells_max: int) -> list[BatchRun]:
    """Choose the batches around some offsets and at both ends; a run stands for those between."""
    count = len(index)
    if count <= cells_max:
        return [BatchRun(number, number + 1) for number in range(count)]
    numbers = [index.number_of(offset) for offset in focus]
    wanted = [
        *numbers,
        *range(count - 1, count - 1 - _TAIL, -1),
        *range(_HEAD),
        *(beside for number in numbers for beside in (number - 1, number + 1)),
    ]
    shown = [number for number in dict.fromkeys(wanted) if 0 <= number < count]
    return _with_runs_between(sorted(shown[: max((cells_max - 1) // 2, 1)]), count)


def _with_runs_between(shown: Sequence[int], count: int) -> list[BatchRun]:
    runs: list[BatchRun] = []
    end = 0
    for number in shown:
        if number > end:
            runs.append(BatchRun(end, number))
        runs.append(BatchRun(number, number + 1))
        end = number + 1
    if end < count:
        runs.append(BatchRun(end, count))
    return runs
