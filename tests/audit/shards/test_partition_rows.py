"""Rows of whole partitions."""

import random
from itertools import pairwise

import pytest

pytest.importorskip("pyarrow", reason="tables need the extra spark")

from mockbroker.audit.runs.run import Run
from mockbroker.audit.runs.run_table import runs_of, table_of
from mockbroker.audit.shards import partition_rows
from mockbroker.audit.shards.partition_rows import PartitionPiece, PartitionRows, in_pieces
from tests.audit.rows import batch, end_of

REPEATED = batch(8, 0, offset=0)._replace(is_duplicate=True, transactional_id="t")


def of_partitions(*sizes: int) -> list[Run]:
    """Return batches of partitions of some sizes."""
    return [
        batch(seq, seq, offset=seq, partition=partition)
        for partition, size in enumerate(sizes)
        for seq in range(size)
    ]


def test_rows_know_their_partitions() -> None:
    first, marker = batch(2, offset=0, partition=1), end_of(3, "COMMIT", offset=1, partition=1)
    rows = PartitionRows(table_of([batch(1, 0, offset=0), REPEATED, first, marker]))
    assert (rows.count, rows.starts.tolist(), rows.place.tolist()) == (2, [0, 2], [0, 0, 1, 1])
    assert rows.partitions_of(rows.are("kind", "marker")).tolist() == [False, True]
    assert rows.partitions_of(rows.is_repeated).tolist() == [True, False]


def test_stored_rows_are_those_that_were_appended() -> None:
    first, marker = batch(2, offset=0, partition=1), end_of(3, "COMMIT", offset=1, partition=1)
    stored = PartitionRows(table_of([batch(1, 0, offset=0), REPEATED, first, marker])).stored
    assert (stored.rows.tolist(), stored.place.tolist()) == ([0, 2, 3], [0, 1, 1])
    assert stored.is_marker.tolist() == [False, False, True]
    assert stored.begins.tolist() == [True, True, False]


def test_rows_with_equal_keys_are_counted_by_partition() -> None:
    runs = [*(batch(each, 4, offset=0) for each in (1, 2)), batch(3, 4, offset=0, partition=1)]
    rows = PartitionRows(table_of(runs))
    key, everything = rows.numbers("base_sequence"), rows.are("kind", "append")
    assert rows.with_many(everything, (key,), 2).tolist() == [True, False]
    assert rows.with_many(~everything, (key,), 1).tolist() == [False, False]


def partitions_in(piece: PartitionPiece) -> list[int | None]:
    return [run.partition for run in runs_of(piece.table)]


@pytest.mark.parametrize("seed", range(20))
def test_partitions_stay_together_however_tables_are_cut(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partition_rows, "PARTITION_MAX", 6)
    draw = random.Random(seed)
    runs = of_partitions(*(draw.choice([1, 2, 5, 6, 7, 30]) for _ in range(draw.randint(1, 6))))
    cuts = sorted({0, *draw.choices(range(1, len(runs) + 1), k=draw.randint(0, 12)), len(runs)})
    table = table_of(runs)
    pieces = list(in_pieces(table.slice(one, other - one) for one, other in pairwise(cuts)))
    assert [run for piece in pieces for run in runs_of(piece.table)] == runs
    numbers = [
        {piece.number for piece in pieces if each in partitions_in(piece)} for each in range(6)
    ]
    assert max(map(len, numbers)) == 1, "a partition has one number"
    of_whole = [piece.number for piece in pieces if not piece.is_part]
    assert len(of_whole) == len(set(of_whole)), "whole partitions are in one table"
    of_parts = [set(partitions_in(piece)) for piece in pieces if piece.is_part]
    assert all(len(each) == 1 for each in of_parts), "a part is of one partition"


def test_only_a_large_partition_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(partition_rows, "PARTITION_MAX", 6)
    table = table_of(of_partitions(2, 6, 9, 1))
    pieces = list(in_pieces(table.slice(begin, 4) for begin in range(0, 18, 4)))
    parts = [piece for piece in pieces if piece.is_part]
    assert [each for piece in parts for each in partitions_in(piece)] == [2] * 9
    assert len(parts) > 1
    assert list(in_pieces([])) == []
