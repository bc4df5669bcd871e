"""Values of offsets, stored by range."""

from bisect import bisect_right, insort
from collections.abc import Iterator
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


class ValuedRange(NamedTuple, Generic[T]):
    """Consecutive offsets with the same value."""

    first: int
    last: int
    value: T


class OffsetRanges(Generic[T]):
    """A map of offsets to values; ranges that were put stay apart, also if their values are equal.

    Memory and time depend on the number of ranges, not of offsets.
    """

    def __init__(self) -> None:
        """Start without offsets."""
        self._firsts: list[int] = []
        self._pieces: dict[int, ValuedRange[T]] = {}

    def __iter__(self) -> Iterator[ValuedRange[T]]:
        """Yield the ranges in order."""
        return (self._pieces[first] for first in self._firsts)

    def put(self, first: int, last: int, value: T) -> None:
        """Set the value of a range, of which no offset has one."""
        insort(self._firsts, first)
        self._pieces[first] = ValuedRange(first, last, value)

    def take(self, first: int, last: int) -> list[ValuedRange[T]]:
        """Remove the offsets of a range, and return their values in order."""
        begin = max(bisect_right(self._firsts, first) - 1, 0)
        end = bisect_right(self._firsts, last)
        taken: list[ValuedRange[T]] = []
        left: list[ValuedRange[T]] = []
        for each in [self._pieces[key] for key in self._firsts[begin:end]]:
            if each.last < first:
                left.append(each)
                continue
            if each.first < first:
                left.append(each._replace(last=first - 1))
            if each.last > last:
                left.append(each._replace(first=last + 1))
            taken.append(ValuedRange(max(each.first, first), min(each.last, last), each.value))
        for key in self._firsts[begin:end]:
            del self._pieces[key]
        self._firsts[begin:end] = [each.first for each in left]
        self._pieces.update((each.first, each) for each in left)
        return taken

    def take_all(self) -> list[ValuedRange[T]]:
        """Remove all offsets, and return their values in order."""
        taken = list(self)
        self._firsts, self._pieces = [], {}
        return taken


def gaps(first: int, last: int, pieces: list[ValuedRange[T]]) -> Iterator[tuple[int, int]]:
    """Yield the ranges between pieces, which are in order, from one offset to another."""
    for each in pieces:
        if first < each.first:
            yield first, each.first - 1
        first = each.last + 1
    if first <= last:
        yield first, last
