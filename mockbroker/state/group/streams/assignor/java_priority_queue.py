"""Java's `PriorityQueue`: which of several equal entries comes first depends on its algorithm."""

from collections.abc import Callable
from typing import Generic, TypeVar

_T = TypeVar("_T")


class JavaPriorityQueue(Generic[_T]):
    """A binary heap that returns equal entries in the same order as Java's.

    An entry's rank may change only while the entry is not in the queue.
    """

    def __init__(self, rank: Callable[[_T], float]) -> None:
        """Create an empty queue; entries of the lowest rank come first."""
        self._rank = rank
        self._heap: list[_T] = []

    def __len__(self) -> int:
        """Return the number of entries."""
        return len(self._heap)

    def add(self, entry: _T) -> None:
        """Add an entry."""
        heap, at, rank = self._heap, len(self._heap), self._rank(entry)
        heap.append(entry)
        while at > 0:
            parent = at - 1 >> 1
            if rank >= self._rank(heap[parent]):
                break
            heap[at] = heap[parent]
            at = parent
        heap[at] = entry

    def poll(self) -> _T:
        """Remove and return the first entry; the queue is not empty."""
        heap = self._heap
        first, last = heap[0], heap.pop()
        if heap:
            self._sift_down(last)
        return first

    def _sift_down(self, entry: _T) -> None:
        heap, at, rank = self._heap, 0, self._rank(entry)
        while at < len(heap) >> 1:
            child = 2 * at + 1
            right = child + 1
            if right < len(heap) and self._rank(heap[child]) > self._rank(heap[right]):
                child = right
            if rank <= self._rank(heap[child]):
                break
            heap[at] = heap[child]
            at = child
        heap[at] = entry
