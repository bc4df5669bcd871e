"""Division of runs by scope."""

from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="tables need the extra spark")

from mockbroker.audit.runs.run_table import runs_of, runs_of_rows
from mockbroker.audit.shards.scoped_rows import (
    BY_PARTITION,
    SHARD,
    families_of,
    in_order_of,
    key_numbers,
    pairs_in,
    rows_of_others,
    rows_of_partitions,
    wide_rows,
    with_families,
)
from mockbroker.journal.files.parquet_tables import table_of
from mockbroker.protocol.api_keys import ApiKey
from tests.support.audit_script import Script


def table() -> Any:
    script = Script()
    script.row("topic_created", topic="t")
    script.transaction(0, 1)
    script.produce(2, producer_id=-1)
    script.row("request", api=ApiKey.INIT_PRODUCER_ID, call=90)
    script.row("assignment", group="g", detail='{"member":"m"}')
    script.row("clock")
    return runs_of_rows(table_of(script.entries, []))


def test_partitions_get_the_rows_that_have_one() -> None:
    kinds = {run.kind for run in runs_of(rows_of_partitions(table()))}
    assert kinds == {"append", "marker", "request", "answer"}


def test_others_get_transactions_groups_and_the_cluster() -> None:
    rows = rows_of_others(table())
    shards = rows[SHARD].to_pylist()
    kinds = sorted({(shard, run.kind) for shard, run in zip(shards, runs_of(rows), strict=True)})
    assert kinds == [
        ("cluster", "request"),
        ("group g", "assignment"),
        *(("producer 9", kind) for kind in ("answer", "append", "marker", "transaction")),
    ]


def test_rows_of_more_than_a_partition_are_told_apart() -> None:
    assert [run.kind for run in runs_of(wide_rows(table()))] == ["topic_created", "clock"]


def test_producers_of_a_transactional_id_share_a_shard() -> None:
    families = families_of({("a", 1), ("a", 2), ("b", 2), ("b", 3), ("c", 9)})
    assert families == {1: 1, 2: 1, 3: 1}
    ((name, producer_id),) = pairs_in(table())
    assert producer_id == 9
    moved = with_families(rows_of_others(table()), families_of({(name, 9), (name, 2)}))
    assert {each for each in moved[SHARD].to_pylist() if each.startswith("producer")} == {
        "producer 2"
    }


def test_rows_are_put_in_order_in_pieces() -> None:
    rows = rows_of_partitions(table())
    shuffled = rows.take(list(reversed(range(rows.num_rows))))
    pieces = list(in_order_of(shuffled, BY_PARTITION, 2))
    assert max(piece.num_rows for piece in pieces) == 2
    runs = [run for piece in pieces for run in runs_of(piece)]
    assert runs == sorted(runs_of(rows), key=lambda run: (run.partition or 0, run.seq))


def test_equal_texts_have_equal_numbers() -> None:
    rows = table()
    numbers = key_numbers(rows, ["kind"]).tolist()
    kinds = rows["kind"].to_pylist()
    assert len(set(zip(kinds, numbers, strict=True))) == len(set(kinds)) == len(set(numbers))
    assert set(key_numbers(rows, ["group"]).tolist()) == {0, key_numbers(rows, ["group"]).max()}
