"""A fleet runs new seeds, reaches rare states, writes what fails to the corpus, and stops."""

from collections.abc import Collection
from pathlib import Path

import pytest

from tests.simulation import corpus, rare_states
from tests.simulation.__main__ import main, seconds
from tests.simulation.fleet import Failure, Fleet, Shown
from tests.simulation.plan import Plan
from tests.simulation.planting import run_sources
from tests.simulation.simulation import kind_of


@pytest.mark.slow
def test_a_fleet_writes_the_smallest_failure_to_the_corpus(tmp_path: Path) -> None:
    said: list[str] = []
    path = tmp_path / "corpus.jsonl"
    bug = "a partition is given away before it is released"
    fleet = Fleet(0, jobs=1, bug=bug, path=path, at_once=1)
    fleet.sail(lambda fleet: bool(fleet.failures), said.append)
    assert fleet.failures
    plans = list(corpus.plans(path))
    assert [each.plan for each in fleet.failures] == plans
    assert f"python -m tests.simulation '{plans[0]}' (in 3 of 3 runs)" in said[0]
    assert "owned twice" in path.read_text("utf-8")


def test_a_rare_state_that_is_never_reached_fails_a_fleet(tmp_path: Path) -> None:
    fleet = Fleet(0, jobs=1, bug=None, path=tmp_path / "corpus")
    fleet.take(Shown(runs=rare_states.ENOUGH - 1), print)
    assert not fleet.has_missed
    fleet.take(Shown(runs=1, reached=[(Plan(seed=1), list(rare_states.WANTED))]), print)
    assert not fleet.has_missed
    del fleet.guide.coverage.counts["sequence wraps within a batch"]
    assert fleet.has_missed
    assert "never reached: sequence wraps within a batch" in list(fleet.report())


def test_a_report_counts_simulations_by_rare_state(tmp_path: Path) -> None:
    fleet = Fleet(0, jobs=1, bug=None, path=tmp_path / "corpus")
    failure = Failure(Plan(seed=1), "kind", "text")
    states: Collection[str] = ["transaction times out"]
    reached = [(Plan(seed=seed), states) for seed in range(3)]
    fleet.take(Shown(runs=7, reached=reached, failures=[failure]), print)
    *table, last = fleet.report()
    assert last == "7 simulations, 1 failed"
    assert "      3 of 7  transaction times out: its coordinator aborts it" in table


def test_a_plan_is_read_as_it_is_printed() -> None:
    plan = Plan(
        seed=4711,
        sharing="share",
        without=frozenset({"idempotent"}),
        spared=frozenset({1, 3}),
        steps={"producer 0": 7},
    )
    assert Plan.parse(str(plan)) == plan
    for features in (frozenset[str](), frozenset({"fault", "share"})):
        plan = Plan(seed=1, features=features)
        assert Plan.parse(str(plan)) == plan
    assert str(Plan(seed=4711)) == "4711"
    assert Plan.parse("4711") == Plan(seed=4711)


def test_the_kind_of_a_failure_has_no_names_and_numbers() -> None:
    assert kind_of(AssertionError("reader 0 True missed [3]")) == (
        "AssertionError: reader # True missed"
    )
    assert kind_of(KeyError("x")) == "KeyError: "


def test_a_command_prints_the_log_of_a_seed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["3"]) == 0
    assert capsys.readouterr().out == "no promise is broken\n"


def test_a_duration_needs_a_unit() -> None:
    assert seconds("10m") == 600
    with pytest.raises(ValueError, match="'10' is not a duration"):
        seconds("10")


def test_sources_cannot_replace_native_code_that_runs() -> None:
    with pytest.raises(AssertionError, match="native modules are imported already"):
        run_sources()
