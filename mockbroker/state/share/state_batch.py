"""Ranges of offsets in one delivery state, as the share coordinator stores them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

NO_START_OFFSET = -1


class StateBatch(NamedTuple):
    """Offsets with the same state and delivery count (Kafka's `PersisterStateBatch`)."""

    first_offset: int
    last_offset: int
    delivery_state: int
    delivery_count: int


def combine_state_batches(
    stored: Iterable[StateBatch], added: Iterable[StateBatch], start_offset: int
) -> list[StateBatch]:
    """Merge batches into ordered ranges without overlaps (Kafka's `PersisterStateBatchCombiner`).

    Where batches overlap, the higher delivery count applies, then the higher state. Offsets before
    `start_offset` are dropped, unless it is -1.
    """
    batches = [*_pruned(stored, start_offset), *_pruned(added, start_offset)]
    if len(batches) < 2:
        return batches
    return _merged(batches)


def _pruned(batches: Iterable[StateBatch], start_offset: int) -> Iterator[StateBatch]:
    for batch in batches:
        if start_offset == NO_START_OFFSET or batch.first_offset >= start_offset:
            yield batch
        elif batch.last_offset >= start_offset:
            yield batch._replace(first_offset=start_offset)


def _merged(batches: Sequence[StateBatch]) -> list[StateBatch]:
    """Sweep over the ends of all batches in the order of their offsets."""
    ends: dict[int, Counter[tuple[int, int]]] = {}
    for first, last, state, count in batches:
        ends.setdefault(first, Counter())[count, state] += 1
        ends.setdefault(last + 1, Counter())[count, state] -= 1
    merged: list[StateBatch] = []
    active: Counter[tuple[int, int]] = Counter()
    previous = 0
    for offset in sorted(ends):
        if active:
            count, state = max(active)
            _append(merged, StateBatch(previous, offset - 1, state, count))
        active.update(ends[offset])
        # Counters keep keys whose count is 0.
        for key in [key for key, number in active.items() if number == 0]:
            del active[key]
        previous = offset
    return merged


def _append(merged: list[StateBatch], batch: StateBatch) -> None:
    last = merged[-1] if merged else None
    if last is not None and last[1:] == (batch.first_offset - 1, *batch[2:]):
        merged[-1] = last._replace(last_offset=batch.last_offset)
    else:
        merged.append(batch)
