"""What Spark's workers do with the rows of a task."""

import pickle
import random
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final

import pytest

pytest.importorskip("pyspark", reason="an audit with Spark needs the extra spark")

from mockbroker.audit import journal_runs, judge
from mockbroker.audit.runs.run import Run
from mockbroker.audit.runs.run_table import JOURNAL_COLUMNS
from mockbroker.audit.shards.known import Known
from mockbroker.audit.shards.scoped_rows import BY_PARTITION, BY_SHARD, families_of
from mockbroker.audit.shards.survey import SURVEYED, UNREAD_MAX, Survey
from mockbroker.audit.source import A_JOURNAL
from mockbroker.journal.entry import Entry
from mockbroker.journal.files.parquet_tables import table_of
from mockbroker.spark.auditing.row_blocks import Division
from mockbroker.spark.auditing.shard_tasks import (
    judging_others,
    judging_partitions,
    of_rows,
    runs_of_others,
    runs_of_partitions,
    surveying_rows,
)
from mockbroker.spark.journal.journal_rows import UNREAD_IN, UNREAD_TEXT
from tests.audit.golden.scenarios import MADE
from tests.audit.golden.stored import TWINS, Twin, golden
from tests.support.shards import lived_twice
from tests.support.written_journals import produced

pa: Final[Any] = import_module("pyarrow")


def batches_of(entries: Sequence[Entry], columns: Sequence[str] = JOURNAL_COLUMNS) -> list[Any]:
    table: Any = table_of(list(entries), []).select(list(columns)).combine_chunks()
    batches: list[Any] = table.to_batches(max_chunksize=7)
    return batches


def survey_of(entries: Sequence[Entry], unread: str | None = None) -> Survey:
    batches = [
        batch.append_column(
            UNREAD_IN, pa.array([unread] * batch.num_rows, pa.string())
        ).append_column(UNREAD_TEXT, pa.array([unread] * batch.num_rows, pa.string()))
        for batch in batches_of(entries, SURVEYED)
    ]
    (result,) = surveying_rows(iter(batches))
    survey: Survey = result_of([result])
    return survey


def result_of(batches: Sequence[Any]) -> Any:
    (result,) = (each.column("result")[0].as_py() for each in batches)
    return pickle.loads(result)


def sorted_blocks(task: Any, entries: Sequence[Entry], draw: random.Random) -> Any:
    """Return what a task makes of rows in no order, sorted as Spark does it."""
    shuffled = draw.sample(list(entries), len(entries))
    batches = list(task(iter(batches_of(shuffled))))
    if not batches:
        return iter(())
    table: Any = pa.Table.from_batches(batches)
    order = [(key, "ascending") for key in ("task", "slice")]
    return iter(table.sort_by(order).combine_chunks().to_batches(max_chunksize=2))


@pytest.mark.parametrize("are_large", [False, True])
@pytest.mark.parametrize("twin", TWINS)
@pytest.mark.parametrize("rule", MADE)
def test_findings_are_those_of_one_loop(rule: str, twin: Twin, are_large: bool) -> None:
    assert_same(golden(rule, twin), random.Random(rule), are_large=are_large)


@pytest.mark.parametrize("rule", MADE)
def test_lives_of_a_cluster_are_judged_as_in_one_loop(rule: str) -> None:
    assert_same(lived_twice(golden(rule, "fires")), random.Random(rule), are_large=False)


def assert_same(entries: Sequence[Entry], draw: random.Random, *, are_large: bool) -> None:
    survey = survey_of(entries)
    known = Known(A_JOURNAL, survey)
    families = families_of(survey.pairs)
    shards = {(f"producer {families.get(each, each)}",) for each in survey.producers}
    divisions = [
        Division(
            keys,
            [4, 2, 7],
            {key: 10 + each for each, key in enumerate(sorted(large))} if are_large else {},
            entries_a_slice=5,
        )
        for keys, large in ((BY_PARTITION, survey.places), (BY_SHARD, shards))
    ]
    places = sorted_blocks(runs_of_partitions(of_rows, divisions[0]), entries, draw)
    outcome = result_of(list(judging_partitions(known)(places)))
    known.learn(outcome)
    others = sorted_blocks(runs_of_others(of_rows, divisions[1], families), entries, draw)
    outcome.add(result_of(list(judging_others(known)(others))))
    outcome.add(survey.counts)
    assert outcome.verdict(A_JOURNAL, len(list(journal_runs(entries)))) == judge(
        journal_runs(entries)
    )


def test_a_survey_counts_rows_by_partition_and_by_producer() -> None:
    survey = survey_of(list(produced(9)))
    survey.add(survey_of(list(produced(2))))
    assert set(survey.places) == {("orders", 0), ("orders", 1)}
    assert sum(survey.places.values()) == sum(survey.producers.values()) == 33


def test_a_survey_tells_the_number_of_rows_and_the_end() -> None:
    entries = list(produced(9))
    survey = survey_of(entries)
    survey.add(survey_of(list(produced(2))))
    assert (survey.rows, survey.last_time_ms) == (33, entries[-1].virtual_time_ms)
    created = Entry(1, "topic_created", 1_000, 1, topic="t")
    assert [(run.kind, run.topic) for run in survey_of([created]).wide] == [("topic_created", "t")]


def test_invalid_rows_are_returned_up_to_a_limit() -> None:
    survey = survey_of(list(produced(UNREAD_MAX)), "file:/x")
    assert set(survey.unread) == {("file:/x", "file:/x")}
    survey.add(survey_of(list(produced(1)), "file:/y"))
    assert len(survey.unread) == UNREAD_MAX
    assert survey.rows == 3 * UNREAD_MAX + 3


def test_known_facts_travel_to_workers() -> None:
    known = Known(A_JOURNAL, Survey(wide=[Run("topic_created", 1, 1, topic="t")]))
    there: Known = pickle.loads(pickle.dumps(known))
    assert there.of_topic("t") == known.of_topic("t")
