"""Blocks of rows: every row comes to its task, and comes back as it was."""

import random
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final

import pytest

pytest.importorskip("pyspark", reason="an audit with Spark needs the extra spark")

from mockbroker.audit.runs.run import Run, sort_key
from mockbroker.audit.runs.run_table import runs_of, table_of
from mockbroker.audit.shards.scoped_rows import BY_PARTITION, BY_SHARD, SHARD
from mockbroker.spark.auditing.row_blocks import (
    Division,
    from_blocks,
    in_blocks,
)
from tests.audit.rows import batch, end_of

pa: Final[Any] = import_module("pyarrow")

TASKS: Final = [5, 3, 8]
LARGE: Final = ("a", 2)


def some_runs(count: int = 40) -> list[Run]:
    """Return batches and markers of five partitions, in no order."""
    runs = [
        batch(seq, seq, offset=seq, partition=seq % 5)._replace(client_id=f"client {seq}")
        for seq in range(1, count)
    ]
    runs.append(end_of(count, "ABORT", offset=count, partition=3))
    return random.Random(7).sample(runs, len(runs))


def blocks_of(runs: Sequence[Run], division: Division) -> Any:
    """Return the blocks of two tables as Spark sorts them."""
    tables = [table_of(runs[:9]), table_of(runs[9:])]
    made = pa.Table.from_batches(list(in_blocks(tables, division)))
    return made.sort_by([("task", "ascending"), ("slice", "ascending")])


def test_runs_come_back_sorted_by_partition_and_number() -> None:
    runs = some_runs()
    blocks = blocks_of(runs, Division(BY_PARTITION, TASKS))
    assert set(blocks["task"].to_pylist()) <= set(TASKS)
    tables = list(from_blocks(blocks.to_batches(max_chunksize=1), BY_PARTITION))
    assert len(tables) == len(set(blocks["task"].to_pylist()))
    found = [runs_of(table) for table in tables]
    for of_task in found:
        assert of_task == sorted(of_task, key=lambda run: (run.partition or 0, sort_key(run)))
    partitions = [{run.partition for run in of_task} for of_task in found]
    assert sum(map(len, partitions)) == 5, "each partition is in one task"
    assert sorted((run for each in found for run in each), key=sort_key) == sorted(
        runs, key=sort_key
    )


def test_a_large_partition_has_a_task_of_its_own_and_comes_in_slices() -> None:
    division = Division(BY_PARTITION, TASKS, {LARGE: 99}, entries_a_slice=10)
    blocks = blocks_of(some_runs(), division)
    of_large = [
        (table["seq"].to_pylist(), set(table["partition"].to_pylist()))
        for table in from_blocks(blocks.to_batches(), BY_PARTITION)
        if 2 in table["partition"].to_pylist()
    ]
    assert of_large == [([each, each + 5], {2}) for each in (2, 12, 22, 32)]
    slices = zip(blocks["task"].to_pylist(), blocks["slice"].to_pylist(), strict=True)
    assert {each for each in slices if each[1]} == {(99, 1), (99, 2), (99, 3)}


def test_shards_stay_with_their_runs() -> None:
    runs = some_runs()
    shards = pa.array([f"producer {run.partition}" for run in runs])
    table = table_of(runs).append_column(SHARD, shards)
    made = pa.Table.from_batches(list(in_blocks([table], Division(BY_SHARD, [1]))))
    (found,) = from_blocks(made.to_batches(), BY_SHARD)
    for shard, run in zip(found[SHARD].to_pylist(), runs_of(found), strict=True):
        assert shard == f"producer {run.partition}"


def test_a_block_has_no_texts_of_other_blocks() -> None:
    (block,) = (
        row["rows"]
        for row in blocks_of(some_runs(), Division(BY_PARTITION, TASKS, {LARGE: 99})).to_pylist()
        if row["task"] == 99
    )
    told = import_module("pyarrow.ipc").open_stream(block).read_all()
    assert len(told["client_id"].unique()) == told.num_rows
    assert not pa.types.is_dictionary(told.schema.field("client_id").type)
    assert "group" not in told.column_names, "no run has a group"


def test_no_rows_make_no_blocks() -> None:
    assert list(in_blocks([], Division(BY_PARTITION, TASKS))) == []
    assert list(from_blocks([], BY_PARTITION)) == []
