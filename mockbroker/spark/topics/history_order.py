"""Numbers for the rows of topics and the changes of transactional ids, in one order.

The upper bits of a number are the place in the order, and the lower ones are the number of the row
in its partition. So a worker numbers a row for itself, and findings give the row's number back.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from mockbroker.audit.finding import Finding
from mockbroker.audit.runs.journal_runs import run_of
from mockbroker.audit.runs.run import Run
from mockbroker.journal.entry import Entry
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.spark.topics.joined_history import joined_history
from mockbroker.spark.topics.log_outline import GAP
from mockbroker.spark.topics.transaction_evidence import Place
from mockbroker.wire.transactions import TransactionChange

_BITS_MIN: Final = 32
_GROWTH_BITS: Final = 2
"""Logs may be four times as long when they are read as when their ends were."""


class _Places(NamedTuple):
    """Places in the order of a producer's rows in a partition."""

    offsets: Sequence[int]
    places: Sequence[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryOrder:
    """The order of logs, by their outlines."""

    transitions: tuple[Run, ...] = ()
    left_out: tuple[str, ...] = ()
    """Transactional ids without a place in the order."""
    with_gaps: frozenset[Place] = frozenset()
    """Logs without a place in the order."""
    bits: int = _BITS_MIN
    end: int = 0
    """The place after all others."""
    of_producers: Mapping[tuple[str, int, int], _Places] = field(
        default_factory=dict[tuple[str, int, int], _Places]
    )
    by_hand: frozenset[tuple[str, int, int]] = frozenset()
    """Topics, partitions and offsets of the markers that no coordinator may have decided."""

    def number(self, topic: str, partition: int, producer_id: int, base_offset: int) -> int:
        """Return the number of a batch or a marker."""
        place = 0
        known = self.of_producers.get((topic, partition, producer_id))
        if known is not None and base_offset >= known.offsets[0]:
            at = bisect_left(known.offsets, base_offset)
            place = known.places[at] if at < len(known.places) else self.end
        return place << self.bits | base_offset + 1

    def restored(self, finding: Finding) -> Finding:
        """Return a finding whose evidence has the numbers of the topics' rows."""
        mask = (1 << self.bits) - 1
        rows = tuple(each & mask for each in finding.evidence if each & mask)
        return finding._replace(evidence=rows)


def history_order(
    outline: Sequence[Entry],
    changes: Iterable[TransactionChange],
    settled: Mapping[int, int],
    ends: Iterable[int],
) -> HistoryOrder:
    """Return the order of logs with these outlines and ends, and of the changes.

    `settled` is as for `joined_history`.
    """
    gaps = [row for row in outline if row.kind == GAP]
    whole = [row for row in outline if row.kind != GAP]
    joined = joined_history(whole, changes, settled)
    bits = max(_BITS_MIN, max(ends, default=0).bit_length() + _GROWTH_BITS)
    transitions: list[Run] = []
    places: defaultdict[tuple[str, int, int], list[tuple[int, int]]] = defaultdict(list)
    by_hand: set[tuple[str, int, int]] = set()
    for place, entry in enumerate(joined.entries, 1):
        if entry.kind == "transaction":
            transitions.append(run_of(entry._replace(seq=place << bits)))
            continue
        topic, partition, offset = entry.topic or "", entry.partition or 0, entry.base_offset or 0
        places[topic, partition, entry.producer_id or 0].append((offset, place))
        if entry.api is ApiKey.WRITE_TXN_MARKERS:
            by_hand.add((topic, partition, offset))
    return HistoryOrder(
        transitions=tuple(transitions),
        left_out=joined.left_out,
        with_gaps=frozenset((row.topic or "", row.partition or 0) for row in gaps),
        bits=bits,
        end=len(joined.entries) + 1,
        of_producers={
            key: _Places(*map(tuple, zip(*rows, strict=True))) for key, rows in places.items()
        },
        by_hand=frozenset(by_hand),
    )
