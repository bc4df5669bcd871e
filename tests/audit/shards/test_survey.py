"""Surveys of the rows of a journal."""

import random

import pytest

pytest.importorskip("pyarrow", reason="tables need the extra spark")

from mockbroker.audit.counting import counted
from mockbroker.audit.runs.run import Run
from mockbroker.audit.runs.run_table import table_of
from mockbroker.audit.shards.outcome import ShardOutcome
from mockbroker.audit.shards.survey import Survey, counts_of
from tests.audit.rows import an_event, batch, end_of, transition

REPEATED = batch(8, 0, offset=0)._replace(is_duplicate=True, transactional_id="t")
CREATED = an_event(1, "topic_created", partition=None)


def survey_of(*runs: Run) -> Survey:
    survey = Survey()
    survey.see(table_of(runs))
    survey.weigh(table_of(runs))
    return survey


def test_surveys_are_added_up() -> None:
    survey = survey_of(batch(2, 0, offset=0), batch(3, 0, offset=0, partition=1))
    survey.add(survey_of(CREATED, batch(4, 1, offset=1), transition(9, "Empty", "Ongoing")))
    assert (survey.rows, survey.last_time_ms, survey.wide) == (5, 9, [CREATED])
    assert survey.places == {("a", 0): 2, ("a", 1): 1}
    assert survey.producers == {7: 4}
    assert survey.pairs == {("svc", 7)}
    assert (survey.counts.appends, survey.counts.producers) == (3, {7})


def test_the_end_is_the_highest_time_and_after_a_reset_that_of_the_last_row() -> None:
    late = batch(2, 0, offset=0)._replace(virtual_time_ms=90)
    survey = survey_of(late, an_event(3, "event", partition=None), batch(4, 0, offset=0))
    assert (survey.last_time_ms, survey.latest) == (90, (4, 4))
    survey.add(survey_of(batch(3, 0, offset=0)))
    survey.add(survey_of())
    assert (survey.last_time_ms, survey.latest) == (90, (4, 4))


def test_columns_are_counted_as_runs_are() -> None:
    draw = random.Random(1)
    runs = [
        *(batch(7, 0, offset=0), REPEATED, end_of(9, "ABORT", offset=1, producer=(9, 0))),
        *(batch(4, offset=0, partition=2, producer=(-1, -1)), CREATED),
        batch(5, 0, offset=1, partition=2, transactional=True)._replace(transactional_id="u"),
        transition(1, "Empty", "Ongoing", producer=(8, 0)),
        transition(2, "Empty", None)._replace(producer_id=None, transactional_id="w"),
    ]
    for _ in range(50):
        chosen = draw.sample(runs, draw.randint(0, len(runs)))
        outcome = ShardOutcome()
        for run in chosen:
            counted(outcome, run)
        assert counts_of(table_of(chosen)) == outcome
