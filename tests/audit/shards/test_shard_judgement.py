"""Judgement of shards, one after the other."""

import random
import tracemalloc
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="tables need the extra spark")

from mockbroker.audit.judgement import judge
from mockbroker.audit.runs.run import Run
from mockbroker.audit.runs.run_table import table_of
from mockbroker.audit.shards import partition_rows
from mockbroker.audit.shards.known import Known
from mockbroker.audit.shards.outcome import ShardOutcome
from mockbroker.audit.shards.scoped_rows import SHARD
from mockbroker.audit.shards.shard_judgement import judge_others, judge_partitions
from mockbroker.audit.shards.survey import Survey
from mockbroker.audit.source import A_JOURNAL
from mockbroker.audit.storage import attempt_store
from mockbroker.journal.entry import Entry
from tests.audit.rows import an_event, batch, end_of, transition
from tests.support.shards import assert_same

pa: Any = import_module("pyarrow")

_BEGUN = transition(1, "Empty", "Ongoing", partitions=["a-0"])
_WRITTEN = batch(2, 0, offset=0, transactional=True, stable=0)
_HANGING = batch(9, 1, offset=1, transactional=True, stable=1)
_END = [
    transition(3, "Ongoing", "PrepareCommit", partitions=["a-0"]),
    end_of(4, "COMMIT", offset=1),
    transition(5, "PrepareCommit", "CompleteCommit"),
]


def sharded(of_place: list[Run], of_producer: list[Run], *wide: Run) -> ShardOutcome:
    known = Known(A_JOURNAL, Survey(wide=[*wide]))
    outcome = judge_partitions([table_of(of_place)], known)
    known.learn(outcome)
    shards = pa.array(["producer 7"] * len(of_producer))
    outcome.add(judge_others([table_of(of_producer).append_column(SHARD, shards)], known))
    return outcome


def test_partitions_are_judged_one_after_the_other() -> None:
    gap = [batch(1, 0, offset=0), batch(5, 1, offset=3)]
    other = [run._replace(partition=1) for run in gap]
    outcome = judge_partitions([table_of([*gap, *other])], Known(A_JOURNAL, Survey()))
    assert [(each.rule, each.partition) for each in outcome.findings] == [
        ("OFFSET_GAP_UNEXPLAINED", 0), ("OFFSET_GAP_UNEXPLAINED", 1),
    ]  # fmt: skip


def test_a_producer_learns_of_truncations_where_it_writes() -> None:
    late = batch(7, 1, offset=2, transactional=True, stable=2)
    cut = an_event(8, "truncation", offset=2)
    log = [_WRITTEN, _END[1], late]
    runs = [_BEGUN, _WRITTEN, *_END, late]
    assert "HANGING_TXN" in {each.rule for each in sharded(log, runs).findings}
    with_cut = sharded([*log, cut], runs)
    assert with_cut.verdict(A_JOURNAL, 0).findings == judge([*runs, cut]).findings
    assert "HANGING_TXN" not in {each.rule for each in with_cut.findings}


def test_a_producer_learns_which_batches_are_in_no_log() -> None:
    elected = an_event(6, "leader", leader_epoch=1)
    private = batch(7, 1, offset=2, transactional=True, stable=2)
    log = [_WRITTEN, _END[1], elected, private]
    outcome = sharded(log, [_BEGUN, _WRITTEN, *_END, private])
    assert outcome.stale == {(("a", 0), 7)}
    assert not outcome.findings


def test_a_deleted_topic_ends_what_is_open_in_it() -> None:
    deleted = an_event(8, "topic_deleted", partition=None)
    begun = [_BEGUN, _WRITTEN]
    created = an_event(0, "topic_created", partition=None)
    outcome = sharded([_WRITTEN], begun, created, deleted)
    assert not outcome.verdict(A_JOURNAL, 0).findings
    assert not judge([created, *begun, deleted]).findings
    assert sharded([_WRITTEN], begun, created).open_transactions


def test_groups_learn_of_deleted_topics() -> None:
    owned = Entry(1, "assignment", 0, 10, group="g")
    said = '{"member":"%s","epoch":1,"partitions":["a-0"],"is_whole":false}'
    first, second = owned._replace(detail=said % "m"), owned._replace(seq=3, detail=said % "n")
    gone = Entry(2, "topic_deleted", 0, 20, topic="a")
    assert not assert_same([first, gone, second], random.Random(1)).findings
    assert assert_same([first, second], random.Random(1)).findings


def of_one_partition(count: int) -> Iterator[Any]:
    """Yield tables with acknowledged batches of some producers in a partition."""
    for begin in range(0, count, 200):
        appends = (
            batch(3 * each + 2, each // 5, offset=each, producer=(each % 5, 0))
            for each in range(begin, begin + 200)
        )
        yield table_of(
            each._replace(came_seq=each.seq - 1, came_ms=1, answered_seq=each.seq + 1)
            for each in appends
        )


def peak_bytes(count: int) -> int:
    tracemalloc.start()
    try:
        outcome = judge_partitions(of_one_partition(count), Known(A_JOURNAL, Survey()))
        assert not outcome.findings
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
def test_the_memory_for_a_partition_does_not_grow_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempt_store, "_IN_MEMORY_MAX", 100_000)
    monkeypatch.setattr(partition_rows, "PARTITION_MAX", 400)
    peak_bytes(3_000)  # what is imported and cached once
    assert peak_bytes(12_000) < peak_bytes(3_000) + 50_000 < 12_000 * 100
