"""Survey of all rows: what has to be known before shards are judged (extra `spark`)."""

from collections import Counter
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final

import numpy as np

from mockbroker.audit.judgement import TIMED
from mockbroker.audit.runs.column_arrays import are, numbers, truths, whole
from mockbroker.audit.runs.run import Run
from mockbroker.audit.runs.run_table import runs_of
from mockbroker.audit.shards.outcome import ShardOutcome
from mockbroker.audit.shards.scoped_rows import (
    BY_PARTITION,
    Pair,
    pairs_in,
    rows_of_partitions,
    wide_rows,
)

pa: Any = import_module("pyarrow")
pc: Any = import_module("pyarrow.compute")

SURVEYED: Final = (
    *("seq", "kind", "virtual_time_ms", "topic", "partition", "api", "producer_id"),
    *("transactional_id", "is_duplicate", "detail"),
)
"""The columns of a journal that a survey reads."""
UNREAD_MAX: Final = 1_000
"""Maximum number of invalid rows that are reported; more mean a file of another origin."""
Key = tuple[str | int, ...]


@dataclass(slots=True)
class Survey:
    """What has to be known of all rows before shards are judged."""

    rows: int = 0
    last_time_ms: int = 0
    latest: tuple[int, int] = (0, 0)
    """The `seq` and the time of the last row that tells the time: a reset sets the clock back."""
    wide: list[Run] = field(default_factory=list[Run])
    """The rows that concern more than a partition, in any order."""
    pairs: set[Pair] = field(default_factory=set[Pair])
    counts: ShardOutcome = field(default_factory=ShardOutcome)
    """An outcome that only counts."""
    places: Counter[Key] = field(default_factory=Counter[Key])
    """Rows of each partition, at most so many; those of `weigh`."""
    producers: Counter[int] = field(default_factory=Counter[int])
    """Rows of each producer id, at most so many; those of `weigh`."""
    unread: list[tuple[str, str | None]] = field(default_factory=list[tuple[str, str | None]])
    """Files and texts of invalid rows."""

    def see(self, rows: Any) -> None:
        """Survey a table of rows, or of runs."""
        self.rows += rows.num_rows
        is_timed = are(whole(rows, "kind"), *TIMED)
        if is_timed.any():
            seq, time_ms = (rows[name].to_numpy()[is_timed] for name in ("seq", "virtual_time_ms"))
            self.last_time_ms = max(self.last_time_ms, int(time_ms.max()))
            last = int(seq.argmax())
            self.latest = max(self.latest, (int(seq[last]), int(time_ms[last])))
        self.wide += runs_of(wide_rows(rows))
        self.pairs |= pairs_in(rows)
        self.counts.add(counts_of(rows))

    def weigh(self, rows: Any) -> None:
        """Count the rows of each partition and producer: some may have too many for a task."""
        places = rows_of_partitions(rows).select(BY_PARTITION).group_by(BY_PARTITION)
        topics, partitions, counts = places.aggregate([([], "count_all")]).to_pydict().values()
        keys = zip(topics, partitions, strict=True)
        self.places.update(dict(zip(keys, counts, strict=True)))
        named = pc.value_counts(rows["producer_id"].drop_null()).to_pylist()
        self.producers.update({each["values"]: each["counts"] for each in named})

    def add(self, other: "Survey") -> None:
        """Add the survey of other rows."""
        self.rows += other.rows
        self.last_time_ms = max(self.last_time_ms, other.last_time_ms)
        self.latest = max(self.latest, other.latest)
        self.wide += other.wide
        self.pairs |= other.pairs
        self.counts.add(other.counts)
        self.places.update(other.places)
        self.producers.update(other.producers)
        self.unread += other.unread[: UNREAD_MAX - len(self.unread)]


def counts_of(rows: Any) -> ShardOutcome:
    """Return what `counted` counts, of a table of rows or of runs."""
    kind = whole(rows, "kind")
    is_batch = are(kind, "append", "marker")
    is_named = pa.array(is_batch | are(kind, "transaction"))
    producers, names = (
        set(pc.unique(whole(rows, name).filter(is_named).drop_null()).to_pylist())
        for name in ("producer_id", "transactional_id")
    )
    outcome = ShardOutcome(
        producers={each for each in producers if each >= 0}, transactional_ids=set(names)
    )
    stored = np.flatnonzero(is_batch & ~truths(whole(rows, "is_duplicate")))
    if len(stored):
        chosen = rows.select(BY_PARTITION).take(pa.array(stored))
        places = chosen.group_by(BY_PARTITION).aggregate([]).to_pydict()
        time_ms = numbers(whole(rows, "virtual_time_ms"))[stored]
        outcome.appends = len(stored)
        outcome.partitions = set(zip(*places.values(), strict=True))
        outcome.first_time_ms, outcome.last_time_ms = int(time_ms.min()), int(time_ms.max())
    return outcome
