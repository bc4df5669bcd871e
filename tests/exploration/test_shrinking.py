"""Failed pairs are replaced by the smallest experiment that fails in the same way."""

from collections.abc import Callable

from mockbroker import API
from mockbroker.exploration.effects import experiments_at
from mockbroker.exploration.experiment import Experiment
from mockbroker.exploration.laboratory import Baseline
from mockbroker.exploration.outcome import ExperimentOutcome
from mockbroker.exploration.pairs import combined
from mockbroker.exploration.points import Point, SeenCall
from mockbroker.exploration.runs import Runs
from mockbroker.exploration.shrinking import RUNS_MAX, Shrinking
from mockbroker.report.failure_page import FailedCluster

CALLS = [
    SeenCall(
        Point(api, "app", ("transactional_id", "billing"), number), 4, "Ongoing", (), "billing"
    )
    for api in (API.ADD_PARTITIONS_TO_TXN, API.END_TXN)
    for number in (1, 2, 3)
]
BASELINE = Baseline(
    calls=CALLS,
    broker_count=1,
    took_s=0.1,
    cluster={},
    results={},
    shown=FailedCluster(sections={}),
)
FENCED = "it is answered with PRODUCER_FENCED"


class PlannedRuns(Runs):
    """Runs whose outcomes a test decides; without clusters."""

    def __init__(self, fails: Callable[[str, int], bool]) -> None:
        self.fails = fails
        self.names: list[str] = []

    def outcome(
        self, experiment: Experiment, number: int = 0, *, is_drawn: bool = False
    ) -> ExperimentOutcome:
        self.names.append(experiment.name)
        if self.fails(experiment.name, number):
            shown = FailedCluster(sections={}) if is_drawn or number == 0 else None
            return ExperimentOutcome(experiment, "broken", (f"offset {number}",), 0.1, shown=shown)
        return ExperimentOutcome(experiment, "survived", (), 0.1)


def single(api: API, number: int, effect: str) -> Experiment:
    (call,) = (each for each in CALLS if each.point.api is api and each.point.number == number)
    (found,) = (each for each in experiments_at(call, broker_count=1) if each.effect == effect)
    return found


PAIR = combined(single(API.ADD_PARTITIONS_TO_TXN, 2, FENCED), single(API.END_TXN, 3, FENCED))


def test_a_pair_is_moved_to_the_first_place_and_made_of_plain_faults() -> None:
    runs = PlannedRuns(lambda name, _number: "; then " in name)
    found = Shrinking(runs, BASELINE, repeats=2).outcome(PAIR)
    assert found.experiment.name == (
        "AddPartitionsToTxn 1 of client 'app', transactional_id 'billing': the answer is lost; then"
        " EndTxn 1 of client 'app', transactional_id 'billing': the answer is lost"
    )
    assert (found.runs, found.failed_runs, found.same_as) == (3, 3, None)


def test_a_fault_that_alone_fails_at_times_is_the_smaller_failure() -> None:
    def fails(name: str, number: int) -> bool:
        return "; then " in name or (name.startswith("EndTxn 3") and number > 0)

    found = Shrinking(PlannedRuns(fails), BASELINE, repeats=2).outcome(PAIR)
    assert found.experiment.name == single(API.END_TXN, 3, FENCED).name
    assert found.shown is not None, "its page shows the failed run"


def test_a_pair_that_cannot_be_smaller_stays_and_is_tried_within_a_limit() -> None:
    runs = PlannedRuns(lambda name, _number: name == PAIR.name)
    found = Shrinking(runs, BASELINE, repeats=2).outcome(PAIR)
    assert found.experiment == PAIR
    assert 5 < len(runs.names) <= RUNS_MAX + 3


def test_failures_of_one_cause_are_shrunk_once() -> None:
    runs = PlannedRuns(lambda name, _number: "; then " in name)
    shrinking = Shrinking(runs, BASELINE, repeats=0)
    first = shrinking.outcome(PAIR)
    done = len(runs.names)
    other = combined(single(API.ADD_PARTITIONS_TO_TXN, 3, FENCED), single(API.END_TXN, 2, FENCED))
    assert shrinking.outcome(other).same_as == first.experiment.name
    assert len(runs.names) == done + 1
    lost = combined(
        single(API.ADD_PARTITIONS_TO_TXN, 3, "the answer is lost"), single(API.END_TXN, 2, FENCED)
    )
    assert shrinking.outcome(lost).same_as == first.experiment.name


def test_a_pair_that_survives_is_not_shrunk() -> None:
    runs = PlannedRuns(lambda _name, _number: False)
    assert Shrinking(runs, BASELINE, repeats=2).outcome(PAIR).kind == "survived"
    assert runs.names == [PAIR.name]
