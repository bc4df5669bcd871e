"""Scripts of tasks are random, and depend on the seed alone."""

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockbroker.spark.load.load_plan import PLANS, ClientChaos, Plan
from mockbroker.spark.load.load_script import (
    LoadShape,
    Round,
    script_of,
    tasks_that,
)

SHAPES = st.builds(
    LoadShape,
    seed=st.integers(0, 1 << 32),
    tasks=st.integers(1, 5),
    records=st.integers(1, 300),
    partitions=st.integers(1, 5),
)
PLAN_NAMES = st.sampled_from(sorted(PLANS))
SHAPE = LoadShape(seed=7, tasks=4, records=100, partitions=3)


def numbers_of(script: list[Round]) -> list[int]:
    done = [each.numbers for each in script if each.turn in {"done", "taken over"}]
    return list(chain.from_iterable(done))


@given(SHAPES, PLAN_NAMES, st.data())
def test_a_script_is_deterministic(shape: LoadShape, name: str, data: st.DataObject) -> None:
    task = data.draw(st.integers(0, shape.tasks - 1))
    for attempt in range(2):
        assert script_of(PLANS[name], shape, task, attempt) == script_of(
            PLANS[name], shape, task, attempt
        )


@given(SHAPES, PLAN_NAMES, st.data())
def test_a_second_attempt_sends_every_record_once_more(
    shape: LoadShape, name: str, data: st.DataObject
) -> None:
    task = data.draw(st.integers(0, shape.tasks - 1))
    script = script_of(PLANS[name], shape, task, 1)
    assert numbers_of(script) == list(range(shape.records))


@given(SHAPES, PLAN_NAMES, st.data())
def test_a_first_attempt_that_ends_before_its_time_has_sent_a_part(
    shape: LoadShape, name: str, data: st.DataObject
) -> None:
    task = data.draw(st.integers(0, shape.tasks - 1))
    script = script_of(PLANS[name], shape, task, 0)
    sent = numbers_of(script)
    if script[-1].turn in {"failed", "died"}:
        assert sent == list(range(script[-1].numbers.start))
        assert [each.turn for each in script].count("failed") <= 1
    else:
        assert sent == list(range(shape.records))


@pytest.mark.parametrize(("share", "count"), [(0.0, 0), (0.01, 1), (0.5, 2), (1.0, 4)])
def test_a_share_is_at_least_one(share: float, count: int) -> None:
    assert len(tasks_that(share, "failing", SHAPE)) == count


def test_other_seeds_choose_differently() -> None:
    plan = PLANS["aborts"]
    scripts = [
        script_of(plan, LoadShape(seed=seed, tasks=1, records=100, partitions=3), 0, 0)
        for seed in range(5)
    ]
    assert all(scripts[0] != other for other in scripts[1:])


def test_an_aborted_round_is_repeated() -> None:
    script = script_of(PLANS["aborts"], SHAPE, 0, 0)
    aborted = [at for at, each in enumerate(script) if each.turn == "aborted"]
    assert aborted
    for at in aborted:
        assert (script[at + 1].turn, script[at + 1].numbers) == ("done", script[at].numbers)


def test_no_task_both_fails_and_dies() -> None:
    plan = Plan(about="", expected={}, chaos=ClientChaos(failing=0.5, dying=0.5))
    turns = [script_of(plan, SHAPE, task, 0)[-1].turn for task in range(SHAPE.tasks)]
    assert sorted(turns) == ["died", "died", "failed", "failed"]


def test_the_first_task_sends_the_requests_of_moments() -> None:
    scripts = [script_of(PLANS["leader-moves"], SHAPE, task, 0) for task in range(2)]
    moved = [[each.moved_partition for each in script] for script in scripts]
    assert len([found for found in moved[0] if found is not None]) == round(len(moved[0]) / 2)
    assert set(moved[1]) == {None}
    (first, *others) = script_of(PLANS["first-write-lost"], SHAPE, 0, 0)
    assert first.moved_partition is not None
    assert {each.moved_partition for each in others} == {None}


def test_a_record_is_deterministic() -> None:
    record = SHAPE.record(2, 5)
    assert record == SHAPE.record(2, 5)
    assert (record.record_id, record.key, len(record.value)) == ("7-2-5", b"7-2-5", 100)
    assert {each.partition for each in SHAPE.records_of(2, range(50))} == {0, 1, 2}
    ids = {each.record_id for task in range(3) for each in SHAPE.records_of(task, range(9))}
    assert len(ids) == 27
