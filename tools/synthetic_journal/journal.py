"""Write a synthetic journal, as Parquet parts like those of a real journal."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np

from mockbroker.journal.entry import Entry
from mockbroker.journal.files.manifest import Manifest, part_path
from mockbroker.journal.files.parquet import write_part
from mockbroker.journal.files.parquet_tables import table_of as table_of_rows
from tools.synthetic_journal.anomalies import STORIES, Anomalies
from tools.synthetic_journal.cast import Cast
from tools.synthetic_journal.grafts import Graft, grafts, laid_out
from tools.synthetic_journal.injected import Injected
from tools.synthetic_journal.numbering import Tally, numbered
from tools.synthetic_journal.rows import BEGAN_MS, ROWS_A_MS, table_of
from tools.synthetic_journal.scene import Past, regular_scene

pa: Any = import_module("pyarrow")

ROWS_A_SCENE: Final = 1_000_000
ROWS_A_PART: Final = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Settings of a synthetic journal."""

    rows: int
    """Approximate number; transactions and their responses stay complete."""
    seed: int = 0
    each: int = 0
    """Number of anomalies of each kind."""
    cast: Cast = field(default_factory=Cast)
    retried: float = 0.0
    """Share of the batches without a transaction that are sent twice."""


REAL: Final = Plan(
    rows=1_000_000,
    cast=Cast(topics=50, partitions=40, idempotent=15_000, transactional=10_000),
    retried=0.2,
)
"""The shape of real journals: many producers, and a quarter of the rows are irregular."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """Result of writing a journal."""

    rows: int
    injected: tuple[Injected, ...]


def scenes(plan: Plan) -> Iterator[tuple[Any, list[Injected]]]:
    """Yield the journal as tables in order, each with its anomalies."""
    random = np.random.default_rng(plan.seed)
    cast = replace(plan.cast, extra=plan.each * STORIES)
    past, tally = Past(cast), Tally(cast)
    count = max(1, round(plan.rows / ROWS_A_SCENE))
    anomalies = Anomalies(plan.each, count, cast, random)
    recorded = grafts(plan.each)
    yield from _grafted([graft for graft in recorded if not graft.is_quick], tally, BEGAN_MS)
    quick = [graft for graft in recorded if graft.is_quick]
    for number in range(count):
        scene = regular_scene(past, plan.rows // count, random, plan.retried)
        marks = anomalies.put_into(scene, number)
        rows = numbered(scene, tally)
        yield table_of(rows, cast), anomalies.known(marks, rows)
        now_ms = BEGAN_MS + tally.seq // ROWS_A_MS
        yield from _grafted(quick[number::count], tally, now_ms)


def _grafted(
    wanted: Sequence[Graft], tally: Tally, end_ms: int
) -> Iterator[tuple[Any, list[Injected]]]:
    """Yield the rows of recorded journals, one after the other."""
    if not wanted:
        return
    entries: list[Entry] = []
    injected: list[Injected] = []
    placed = laid_out(wanted, tally.seq, tally.call, end_ms)
    for graft, rows in zip(wanted, placed, strict=True):
        entries += rows
        if graft.is_broken:
            injected.append(Injected(graft.rule, None, rows[0].seq, rows[-1].seq))
    tally.seq = entries[-1].seq
    tally.call = max((row.call for row in entries if row.call is not None), default=tally.call)
    yield table_of_rows(entries, ()), injected


def write_journal(folder: Path, plan: Plan, rows_a_part: int = ROWS_A_PART) -> Written:
    """Write a journal into a new folder.

    Raises:
        FileExistsError: the folder is not empty.

    """
    manifest = Manifest(format="parquet", cluster_id="synthetic", kafka="4.4", seed=plan.seed)
    manifest.create(folder)
    injected: list[Injected] = []
    rows, part = 0, 0
    for table, found in scenes(plan):
        injected += found
        for begin in range(0, table.num_rows, rows_a_part):
            part += 1
            _write_part(folder, part, table.slice(begin, rows_a_part))
        rows += table.num_rows
    manifest.close(folder, rows)
    return Written(rows=rows, injected=tuple(injected))


def _write_part(folder: Path, number: int, table: Any) -> None:
    """Write a part as the journal does: kind by kind, and not in order."""
    kind = table["kind"].combine_chunks().indices.to_numpy()
    table = table.take(pa.array(np.argsort(kind.astype(np.uint8), kind="stable")))
    write_part(part_path(folder, number, "parquet"), table)
