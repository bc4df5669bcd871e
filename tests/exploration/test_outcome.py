"""Outcomes of experiments: which of them are failures, and their documents."""

from dataclasses import replace
from typing import get_args

from mockbroker import API
from mockbroker.exploration.experiment import Experiment
from mockbroker.exploration.outcome import ExperimentOutcome, Kind, with_same_failures
from mockbroker.exploration.points import Point


def outcome(kind: Kind, failed_runs: int = 0) -> ExperimentOutcome:
    point = Point(API.END_TXN, "app", ("transactional_id", "billing"), 2)
    experiment = Experiment(point, "it arrives twice", "Ongoing", ())
    return ExperimentOutcome(experiment, kind, ("no luck",), 0.25, failed_runs, runs=3)


def test_a_stopped_program_and_a_broken_promise_are_failures() -> None:
    assert {kind for kind in get_args(Kind) if outcome(kind).is_failure} == {"stopped", "broken"}


def test_a_failure_of_some_runs_is_flaky() -> None:
    assert [outcome("broken", failed).is_flaky for failed in range(4)] == [False, True, True, False]


def test_the_document_names_the_point() -> None:
    assert outcome("broken", 3).as_json() == {
        "name": "EndTxn 2 of client 'app', transactional_id 'billing': it arrives twice",
        "api": "EndTxn",
        "client_id": "app",
        "owner": {"transactional_id": "billing"},
        "number": 2,
        "state": "Ongoing",
        "effect": "it arrives twice",
        "outcome": "broken",
        "reasons": ["no luck"],
        "took_s": 0.25,
        "failed_runs": 3,
        "runs": 3,
        "same_as": None,
        "faults": ["EndTxn 2 of client 'app', transactional_id 'billing': it arrives twice"],
    }


def at(number: int, reason: str, effect: str = "it arrives twice") -> ExperimentOutcome:
    found = outcome("broken", 3)
    point = found.experiment.point._replace(number=number)
    experiment = replace(found.experiment, point=point, effect=effect)
    return replace(found, experiment=experiment, reasons=(reason,))


def test_errors_with_the_same_cause_are_one_failure() -> None:
    one, other, applied = (
        at(1, "it never worked", effect)
        for effect in (
            "it is answered with POLICY_VIOLATION",
            "it is answered with INVALID_RECORD",
            "it is applied, and answered with REQUEST_TIMED_OUT",
        )
    )
    assert with_same_failures([one, other, applied]) == [
        one,
        replace(other, same_as=one.experiment.name),
        applied,
    ]


def test_the_first_place_stands_for_all_with_the_same_effect_and_cause() -> None:
    third, second = at(3, "offset 7 repeats offset 6"), at(2, "offset 4 repeats offset 3")
    other, survived = at(1, "1 record missing"), outcome("survived", 0)
    assert with_same_failures([third, second, other, survived]) == [
        replace(third, same_as=second.experiment.name),
        second,
        other,
        survived,
    ]
