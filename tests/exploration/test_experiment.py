"""Experiments have a name, a kind, and the faults that have to fire."""

from mockbroker import API
from mockbroker.exploration.experiment import Experiment
from mockbroker.exploration.pairs import combined
from mockbroker.exploration.points import Point

LOST, LATE = (
    Experiment(Point(API.END_TXN, "app", None, number), effect, "Ongoing", ({"id": "explored"},))
    for number, effect in ((1, "the answer is lost"), (2, "it is late"))
)


def test_a_fault_is_named_by_its_point_and_effect() -> None:
    assert LOST.name == "EndTxn 1 of client 'app': the answer is lost"
    assert LOST.fault_ids == ["explored"]
    assert LOST.scenario() == {"name": LOST.name, "faults": [{"id": "explored"}], "steps": []}


def test_a_pair_has_the_names_kinds_and_faults_of_both() -> None:
    pair = combined(LOST, LATE)
    assert pair.name == f"{LOST.name}; then {LATE.name}"
    assert pair.kind == (LOST.kind, LATE.kind)
    assert pair.fault_ids == ["explored", "explored-2"]
    assert pair.effect == "two faults"
