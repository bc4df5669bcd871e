"""The in-flight records of a share partition, in batches by their first offsets; their changes."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from mockbroker.state.share.dead_letters.dead_letter import ArchivingBatch
from mockbroker.state.share.in_flight_state import InFlightState
from mockbroker.state.share.state_batch import StateBatch

NO_BATCH: Final = -1


class InFlightBatch:
    """Consecutive offsets: one state for all, or one for each (Kafka's `InFlightBatch`)."""

    __slots__ = ("_state", "first_offset", "last_offset", "offsets")

    def __init__(self, first_offset: int, last_offset: int, state: InFlightState) -> None:
        """Begin with one state for all offsets."""
        self.first_offset: Final = first_offset
        self.last_offset: Final = last_offset
        self._state: InFlightState | None = state
        self.offsets: dict[int, InFlightState] | None = None
        """The state of each offset, once they differ."""

    def __len__(self) -> int:
        """Count the offsets."""
        return self.last_offset - self.first_offset + 1

    @property
    def state(self) -> InFlightState:
        """The state of all offsets; only while they have one."""
        assert self._state is not None, self
        return self._state

    @property
    def is_acquirable(self) -> bool:
        """True if there is one state, in which a member may acquire the records."""
        return self._state is not None and self._state.is_acquirable

    def states(self) -> Iterator[tuple[int, int, InFlightState]]:
        """Yield each range with a state of its own: first offset, last offset, state."""
        if self.offsets is None:
            yield self.first_offset, self.last_offset, self.state
        else:
            for offset, state in self.offsets.items():
                yield offset, offset, state

    def state_at(self, offset: int) -> InFlightState:
        """Return the state of one offset of the batch."""
        return self.state if self.offsets is None else self.offsets[offset]

    def is_within(self, first_offset: int, last_offset: int) -> bool:
        """Return whether all offsets are in a range."""
        return first_offset <= self.first_offset and self.last_offset <= last_offset

    def split(self, offsets: dict[int, InFlightState]) -> None:
        """Replace the one state by one for each offset."""
        self.offsets = offsets
        self._state = None


class InFlightBatches:
    """Batches by first offset, with the look-ups of a sorted map."""

    __slots__ = ("_by_offset", "_keys")

    def __init__(self) -> None:
        """Start empty."""
        self._by_offset: dict[int, InFlightBatch] = {}
        self._keys: list[int] = []

    def __len__(self) -> int:
        """Count the batches."""
        return len(self._keys)

    def __iter__(self) -> Iterator[InFlightBatch]:
        """Yield the batches in order."""
        return (self._by_offset[key] for key in self._keys)

    @property
    def first(self) -> InFlightBatch:
        """The first batch; there must be one."""
        return self._by_offset[self._keys[0]]

    @property
    def last(self) -> InFlightBatch:
        """The last batch; there must be one."""
        return self._by_offset[self._keys[-1]]

    def add(self, batch: InFlightBatch) -> None:
        """Add a batch, in place of one with the same first offset."""
        if batch.first_offset not in self._by_offset:
            insort(self._keys, batch.first_offset)
        self._by_offset[batch.first_offset] = batch

    def floor(self, offset: int) -> InFlightBatch | None:
        """Return the last batch that begins at an offset or before."""
        index = bisect_right(self._keys, offset)
        return self._by_offset[self._keys[index - 1]] if index else None

    def higher(self, offset: int) -> InFlightBatch | None:
        """Return the first batch that begins after an offset."""
        index = bisect_right(self._keys, offset)
        return self._by_offset[self._keys[index]] if index < len(self._keys) else None

    def between(self, first_offset: int, last_offset: int) -> list[InFlightBatch]:
        """Return the batches that begin in a range, in order."""
        begin = bisect_left(self._keys, first_offset)
        end = bisect_right(self._keys, last_offset)
        return [self._by_offset[key] for key in self._keys[begin:end]]

    def remove_before(self, offset: int) -> None:
        """Remove the batches that begin before an offset."""
        index = bisect_left(self._keys, offset)
        for key in self._keys[:index]:
            del self._by_offset[key]
        del self._keys[:index]

    def clear(self) -> None:
        """Remove all batches."""
        self._by_offset.clear()
        self._keys.clear()


class StateChange(NamedTuple):
    """New states of records, which are to be written to the share coordinator."""

    batches: Sequence[StateBatch]
    transitions: Sequence[InFlightState]
    """The state of each batch, in a transition; none if the change cannot be reverted."""
    start_offset: int
    delivery_complete_count: int
    archiving: Sequence[ArchivingBatch] = ()
    """The batches that go to the dead-letter queue when the change is complete."""


def as_written(first_offset: int, last_offset: int, state: InFlightState) -> StateBatch:
    """Return the present state of a batch as it is written."""
    return StateBatch(first_offset, last_offset, state.state, state.delivery_count)


class GapWindow:
    """Offsets before `end_offset` that the loaded state lacks, from `start_offset` on."""

    __slots__ = ("end_offset", "start_offset")

    def __init__(self, start_offset: int, end_offset: int) -> None:
        """Begin at the first gap; `end_offset` is the partition's when it was loaded."""
        self.start_offset = start_offset
        self.end_offset: Final = end_offset
