"""Rows of a journal around findings, read again in this process."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any, Final

from mockbroker.journal.entry import Entry
from mockbroker.journal.files.jsonl import SUFFIX, entry_of, seq_of
from mockbroker.journal.files.manifest import Manifest, parts_of
from mockbroker.report.audited import Placed
from mockbroker.report.timeline_rows import REACH, READ_MAX, nearest, proof_of
from mockbroker.spark.journal.picked_rows import Window, picked_rows
from mockbroker.spark.report.row_windows import windows

_PARQUET: Final = "mockbroker.journal.files.parquet"
"""Loaded by name: it needs pyarrow (extra `spark`), which a journal in lines does not."""


def rows_nearby(
    folder: Path, findings: Sequence[Placed], partitions: int
) -> dict[int, list[Entry]]:
    """Read the rows around findings that are proved by rows, by the findings' numbers.

    `partitions` is the number of partitions that share the rows' numbers.

    Raises:
        OSError: the journal cannot be read.

    """
    placed = [each for each in findings if each.finding.evidence]
    if not placed:
        return {}
    reach = REACH * max(partitions, 1)
    proof = sorted({seq for each in placed for seq in proof_of(each.finding)})
    near = [window for each in placed for window in windows(each.finding, reach)]
    is_parquet = Manifest.read(folder).format == "parquet"
    read = (_of_parquet if is_parquet else _of_lines)(folder, proof, near)
    entries = list(islice(read, READ_MAX))
    return {each.number: nearest(each.finding, entries) for each in placed}


def _of_parquet(folder: Path, proof: Sequence[int], near: Sequence[Window]) -> Iterator[Entry]:
    pa: Any = import_module("pyarrow")
    entry: Any = import_module(_PARQUET).entry_of
    for path in parts_of(folder, "parquet"):
        with pa.memory_map(str(path)) as file:
            for batch in picked_rows(file.read_buffer(), proof, near):
                yield from map(entry, batch.to_pylist())


def _of_lines(folder: Path, proof: Sequence[int], near: Sequence[Window]) -> Iterator[Entry]:
    spans = _spans([*((seq, seq) for seq in proof), *(each[:2] for each in near)])
    firsts = [first for first, _ in spans]
    proving = frozenset(proof)
    for line in _lines(folder):
        seq = seq_of(line)
        at = bisect_right(firsts, seq) - 1
        if at < 0 or seq > spans[at][1]:
            continue
        entry = entry_of(line)
        if seq in proving or any(_is_in(entry, window) for window in near):
            yield entry


def _lines(folder: Path) -> Iterator[bytes]:
    for path in parts_of(folder, SUFFIX):
        with path.open("rb") as file:
            yield from (line for line in file if line.endswith(b"\n"))


def _spans(ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join the ranges of numbers that overlap."""
    joined: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if joined and first <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(last, joined[-1][1])
        else:
            joined.append((first, last))
    return joined


def _is_in(entry: Entry, window: Window) -> bool:
    return (
        window.first_seq <= entry.seq <= window.last_seq
        and entry.kind in window.kinds
        and window.topic in {None, entry.topic}
        and window.partition in {None, entry.partition}
        and window.producer_id in {None, entry.producer_id}
        and window.transactional_id in {None, entry.transactional_id}
    )
