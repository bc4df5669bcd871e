"""Partitions that machines need not see: the findings are the same as if they saw all."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyarrow", reason="tables need the extra spark")

from mockbroker.audit.judgement import judge, kinds_of
from mockbroker.audit.local import audit_folder
from mockbroker.audit.rule_context import Machine
from mockbroker.audit.rules.applications.commit_rules import Commits
from mockbroker.audit.rules.applications.dirty_read_rules import DirtyReads
from mockbroker.audit.rules.applications.order_rules import Order
from mockbroker.audit.rules.applications.unread_rules import UnreadCommits
from mockbroker.audit.rules.groups.delivery_rules import Deliveries
from mockbroker.audit.rules.records.acknowledgement_rules import Acknowledgements
from mockbroker.audit.rules.retry_rules import Retries
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.audit.rules.sequence_rules import Sequences
from mockbroker.audit.rules.stable_offset_rules import StableOffsets
from mockbroker.audit.rules.visibility_rules import Visibility
from mockbroker.audit.runs.journal_runs import journal_runs
from mockbroker.audit.runs.run import Run
from mockbroker.audit.runs.run_table import table_of
from mockbroker.audit.runs.scope import ShardScope
from mockbroker.audit.shards import regular_partitions, shard_judgement
from mockbroker.audit.shards.known import Known
from mockbroker.audit.shards.partition_rows import PartitionRows
from mockbroker.audit.shards.regular_partitions import CONDITIONS, HARMLESS, JUDGING, machines_for
from mockbroker.audit.shards.survey import Survey
from mockbroker.audit.source import A_JOURNAL
from mockbroker.journal.entry import Entry
from mockbroker.journal.files.parquet_tables import table_of as rows_of
from tests.audit.golden.stored import golden
from tests.audit.rows import an_event, batch, end_of
from tests.support.audit_lives import life
from tests.support.changed_rows import changed_at_random
from tests.support.shards import sharded
from tools.synthetic_journal.journal import REAL, write_journal

LAST_MS = 10_000_000
REGULAR = [
    an_event(1, "leader", leader_epoch=0),
    batch(2, 0, offset=0),
    batch(3, 0, offset=1, producer=(8, 0), transactional=True, stable=1),
    batch(4, 1, offset=2, stable=1),
    batch(5, 0, offset=0)._replace(is_duplicate=True),
    end_of(6, "ABORT", offset=3, producer=(8, 0)),
    batch(7, offset=4, producer=(-1, -1))._replace(crc=5),
]
"""A transaction, a retry, and a batch without a producer."""


def seen_by(*runs: Run, wide: Sequence[Run] = (), last_ms: int = 9) -> set[type[Machine]]:
    """Return the machines that see a partition with a regular beginning and some runs."""
    rows = PartitionRows(table_of([*REGULAR, *runs]))
    (machines,) = machines_for(rows, Known(A_JOURNAL, Survey(last_time_ms=last_ms, wide=[*wide])))
    return set(machines)


def test_a_regular_partition_is_seen_by_no_machine() -> None:
    assert seen_by() == set()
    created = an_event(0, "topic_created", partition=None)
    assert seen_by(an_event(8, "log_start", offset=1), wide=[created]) == set()
    assert seen_by(batch(8, 2, offset=5, leader_epoch=1)) != set(), "of a retry before a new leader"


@pytest.mark.parametrize(
    "odd",
    [
        an_event(8, "truncation", offset=2),
        batch(8, 2, offset=6),
        batch(8, 2, offset=4),
        batch(8, 2, offset=5, leader_epoch=-2),
        an_event(8, "event"),
    ],
    ids=["truncated", "with a gap", "with an offset twice", "of an old leader", "elected"],
)
def test_a_broken_log_is_seen_by_all_machines(odd: Run) -> None:
    assert seen_by(odd) == set(JUDGING)
    elected = an_event(8, "leader", leader_epoch=3)
    assert seen_by(elected, batch(9, 2, offset=5, leader_epoch=2)) == set(JUDGING)
    assert seen_by(wide=[an_event(9, "topic_deleted", partition=None)]) == set(JUDGING)


def a_call(kind: str, *, api: str = "Produce", error: str = "NONE", **said: Any) -> Run:
    return an_event(8, kind)._replace(api=api, error=error, call=77, **said)


@pytest.mark.parametrize(
    ("machine", "odd"),
    [
        (Acknowledgements, [a_call("answer", producer_id=7)]),
        (Acknowledgements, [batch(8, 2, offset=5, producer=(-1, -1))._replace(crc=5)]),
        (Acknowledgements, [batch(8, 0, offset=5)._replace(is_duplicate=True)]),
        (Visibility, [batch(8, 0, offset=5, producer=(8, 1), transactional=True, stable=6)]),
        (StableOffsets, [batch(8, 0, offset=5, producer=(8, 1), transactional=True, stable=5)]),
        (Sequences, [batch(8, 3, offset=5)]),
        (Sequences, [batch(8, 1, offset=5, producer=(7, 1))]),
        (Sequences, [batch(8, 1, offset=5, producer=(11, 0))]),
        (Sequences, [batch(8, offset=5, producer=(11, 0))._replace(base_sequence=None)]),
        (
            Retries,
            [a_call("answer", producer_id=7, base_sequence=4, error="REQUEST_TIMED_OUT")] * 10,
        ),
        (Order, [a_call("lost", producer_id=-1)]),
        (DirtyReads, [a_call("answer", api="Fetch", base_offset=1, last_offset=1)]),
        (Commits, [an_event(8, "offset_committed")]),
        (UnreadCommits, [an_event(8, "offset_committed")]),
        (Deliveries, [an_event(8, "acquired")]),
    ],
)
def test_a_machine_sees_what_is_not_regular_for_it(machine: type[Machine], odd: list[Run]) -> None:
    assert machine in seen_by(*odd, last_ms=LAST_MS)
    assert seen_by(*odd, last_ms=LAST_MS) < set(JUDGING), "others do not"
    assert machine in CONDITIONS


def test_a_machine_without_a_condition_sees_all_partitions(monkeypatch: pytest.MonkeyPatch) -> None:
    others = {made: each for made, each in CONDITIONS.items() if made is not Order}
    monkeypatch.setattr(regular_partitions, "CONDITIONS", others)
    assert seen_by() == {Order}


def test_harmless_kinds_are_seen_by_machines() -> None:
    kinds = {each.partition(" ")[0] for each in kinds_of(ShardScope.PARTITION)}
    assert set(HARMLESS) < kinds


def for_all(rows: PartitionRows, _: Known) -> list[tuple[type[Machine], ...]]:
    return [JUDGING] * rows.count


def both(entries: list[Entry], monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    """Judge a journal as it is done, and with all machines for all partitions."""
    tables = [rows_of(entries, [])]
    found = sharded(tables, len(entries))
    with monkeypatch.context() as patch:
        patch.setattr(shard_judgement, "machines_for", for_all)
        return found, sharded(tables, len(entries))


def regular(draw: random.Random) -> list[Entry]:
    return life(draw, draw.choice([5, 12, 30]), 0.0)


def recorded(draw: random.Random) -> list[Entry]:
    return list(golden(draw.choice(list(RULES)), draw.choice(["fires", "clean"])))


@pytest.mark.slow
@pytest.mark.parametrize("make", [regular, recorded])
def test_changed_rows_are_judged_as_if_all_machines_saw_them(
    make: Callable[[random.Random], list[Entry]], monkeypatch: pytest.MonkeyPatch
) -> None:
    judged = 0
    for seed in range(60):
        draw = random.Random(seed)
        entries = changed_at_random(make(draw), draw)
        try:
            judge(journal_runs(entries))
        except (AssertionError, KeyError, TypeError, ValueError):
            continue  # no journal has such rows
        found, expected = both(entries, monkeypatch)
        assert found == expected, seed
        judged += bool(expected.findings)
    assert judged > 15, "many changes are findings"


@pytest.mark.slow
def test_partitions_of_a_real_journal_are_regular(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    chosen: list[tuple[type[Machine], ...]] = []

    def noted(rows: PartitionRows, known: Known) -> list[tuple[type[Machine], ...]]:
        machines = machines_for(rows, known)
        chosen.extend(machines)
        return machines

    monkeypatch.setattr(shard_judgement, "machines_for", noted)
    write_journal(tmp_path / "journal", replace(REAL, rows=200_000, seed=5))
    audit_folder(tmp_path / "journal")
    assert chosen == [()] * 2_000
