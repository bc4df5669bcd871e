"""A set of offsets, stored as spans: memory depends on the number of gaps."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from operator import itemgetter
from typing import Final, TypeAlias

Span: TypeAlias = tuple[int, int]
"""First and last offset."""


class OffsetSpans:
    """Offsets, with neighbours in one span."""

    __slots__ = ("_spans",)

    def __init__(self) -> None:
        """Start empty."""
        self._spans: Final[list[Span]] = []

    def add(self, first: int, last: int) -> None:
        """Add all offsets from the first to the last."""
        spans = self._spans
        begin = bisect_left(spans, first - 1, key=itemgetter(1))
        end = bisect_right(spans, last + 1, key=itemgetter(0))
        if begin < end:
            first, last = min(first, spans[begin][0]), max(last, spans[end - 1][1])
        spans[begin:end] = [(first, last)]

    def cut(self, end: int) -> bool:
        """Remove the offsets from `end` on; return whether there were any."""
        if not self._spans or self._spans[-1][1] < end:
            return False
        self._spans[:] = [(first, min(last, end - 1)) for first, last in self._spans if first < end]
        return True

    def missing(self, first: int, last: int) -> Iterator[Span]:
        """Yield the spans from the first to the last offset that are not in the set."""
        begin = bisect_left(self._spans, first, key=itemgetter(1))
        for span in self._spans[begin:]:
            if span[0] > last:
                break
            if first < span[0]:
                yield first, span[0] - 1
            first = span[1] + 1
        if first <= last:
            yield first, last
