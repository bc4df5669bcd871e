"""Reports of explorations, as text, JUnit XML and files."""

import ast
import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from mockbroker import API
from mockbroker.exploration.experiment import Experiment
from mockbroker.exploration.outcome import ExperimentOutcome, Kind
from mockbroker.exploration.pairs import combined
from mockbroker.exploration.points import Point
from mockbroker.exploration.programs import CommandProgram, FunctionProgram, Program
from mockbroker.exploration.report import Report
from mockbroker.report.failure_page import FailedCluster

HOSTILE = 'a"""\\<script>\x01\ud800'
"""A client id that is no text of Python, of XML or of a page as it stands."""


def outcome(
    kind: Kind, effect: str = "the answer is lost", *reasons: str, client_id: str = "app"
) -> ExperimentOutcome:
    point = Point(API.PRODUCE, client_id, None, 1)
    fault = {"id": "explored", "match": point.match(), "effect": {"observe": True}}
    experiment = Experiment(point, effect, "", (fault,))
    runs = 2 if kind in {"stopped", "broken"} else 1
    return ExperimentOutcome(experiment, kind, reasons, 0.25, runs - 1, runs)


COMMAND = CommandProgram(["true"], lambda _cluster: {})


def report(*outcomes: ExperimentOutcome, left: int = 0, program: Program = COMMAND) -> Report:
    return Report(
        outcomes=outcomes,
        left=[outcome("survived").experiment] * left,
        seed=7,
        took_s=0.1,
        cluster={"brokers": 1},
        expectations=["exactly-once"],
        program=program,
        without_fault=FailedCluster(sections={}),
    )


MIXED = report(
    outcome("survived"),
    outcome("stopped", "it is answered with X", "exit code 1\nno luck"),
    outcome("broken", "it arrives twice", "exactly-once: no"),
    outcome("not reached"),
    left=3,
)


def test_the_table_counts_by_effect_and_failures_follow_the_broken_ones_first() -> None:
    assert list(MIXED.lines()) == [
        "                       survived  tolerated  stopped  broken  not reached  refused",
        "it arrives twice                                          1",
        "it is answered with X                             1",
        "the answer is lost            1                                        1",
        "4 experiments: 1 survived, 1 stopped, 1 broken, 1 not reached",
        "3 experiments were left when the budget was used",
        "1 experiment repeated an effect in a situation that was known",
        "1. broken (in 1 of 2 runs): Produce 1 of client 'app': it arrives twice",
        "   exactly-once: no",
        "2. stopped (in 1 of 2 runs): Produce 1 of client 'app': it is answered with X",
        "   exit code 1",
        "   no luck",
    ]


def test_nothing_tried_is_no_success() -> None:
    with pytest.raises(AssertionError, match="no experiment has a name that was asked for"):
        report().assert_survived()
    with pytest.raises(AssertionError, match="no experiment was done"):
        report(outcome("not reached"), outcome("refused")).assert_survived()
    report(outcome("survived"), outcome("not reached")).assert_survived()


def test_points_that_no_run_reached_are_named() -> None:
    lines = list(
        report(
            outcome("not reached", client_id="gone"),
            outcome("not reached", "it arrives twice", client_id="gone"),
            outcome("survived"),
            outcome("not reached", "it arrives twice"),
        ).lines()
    )
    assert lines[-1] == "never reached: Produce 1 of client 'gone'"
    many = [outcome("not reached", client_id=f"app-{number}") for number in range(12)]
    assert list(report(*many).lines())[-1] == "never reached: 2 more points"


def test_pairs_are_counted_and_a_failure_stands_for_those_with_its_cause() -> None:
    one = outcome("broken", "it arrives twice", "no")
    pair = replace(
        outcome("survived", "two faults"),
        experiment=combined(outcome("survived").experiment, one.experiment),
        took_s=7.0,
    )
    alike = replace(one, same_as=one.experiment.name)
    found = replace(report(one, alike, pair), new_pair_count=3, known_pair_count=4)
    assert found.failures == [one]
    pairs, known, waited, *told = list(found.lines())[4:]
    assert pairs.startswith("1 of 7 pairs of faults were tried: 3 in a situation that the first")
    assert known == "1 experiment repeated an effect in a situation that was known"
    assert waited.startswith("the longest run took 7 s: give the client shorter timeouts")
    assert told == [
        "1. broken (in 1 of 2 runs): Produce 1 of client 'app': it arrives twice",
        "   and in the same way in 1 more experiment",
        "   no",
    ]


def test_junit_has_a_case_for_each_experiment() -> None:
    suite = ET.fromstring(MIXED.junit())
    assert {name: suite.get(name) for name in ("tests", "failures", "skipped")} == {
        "tests": "4",
        "failures": "2",
        "skipped": "1",
    }
    texts = [each.text for each in suite.iter("failure")]
    assert texts == ["exit code 1\nno luck", "exactly-once: no"]


def test_files_have_the_outcomes_and_a_scenario_and_a_test_of_each_failure(tmp_path: Path) -> None:
    written = MIXED.write(tmp_path / "found")
    assert [each.name for each in written] == ["failure-1.json", "failure-2.json"]
    assert sorted(each.name for each in (tmp_path / "found").iterdir()) == [
        "explore.json",
        "failure-1.html",
        "failure-1.json",
        "failure-2.html",
        "failure-2.json",
        "junit.xml",
        "test_failure_1.py",
        "test_failure_2.py",
    ]
    document = json.loads((tmp_path / "found" / "explore.json").read_text("utf-8"))
    assert (document["seed"], len(document["outcomes"]), len(document["left"])) == (7, 4, 3)
    scenario = json.loads(written[0].read_text("utf-8"))
    assert scenario["cluster"] == {"brokers": 1}
    assert scenario["about"] == "exactly-once: no"
    compile((tmp_path / "found" / "test_failure_1.py").read_text("utf-8"), "test", "exec")


def test_the_names_of_a_client_cannot_break_a_file(tmp_path: Path) -> None:
    report(outcome("broken", HOSTILE, HOSTILE, client_id=HOSTILE)).write(tmp_path)
    test = (tmp_path / "test_failure_1.py").read_text("utf-8")
    docstring = ast.get_docstring(ast.parse(test), clean=False)
    assert docstring is not None
    assert docstring.endswith(f"{HOSTILE}.")
    assert len(list(ET.parse(tmp_path / "junit.xml").getroot().iter("failure"))) == 1
    assert "<script>\x01" not in (tmp_path / "failure-1.html").read_text("utf-8")


def test_a_program_that_a_test_cannot_import_has_no_tests(tmp_path: Path) -> None:
    program = FunctionProgram(lambda _cluster: None)
    (scenario,) = report(outcome("broken", "it fails", "no"), program=program).write(tmp_path)
    assert scenario.exists()
    assert not list(tmp_path.glob("*.py"))
