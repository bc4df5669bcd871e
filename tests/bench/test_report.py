"""The report: medians, ratios, verdicts and the table."""

from contextlib import AbstractContextManager

import pytest

from bench.competitors import Server, Settings
from bench.figure import Bound, Figure, Unit
from bench.figures import FIGURES
from bench.measurement import Sample
from bench.report import Results, aligned, as_json, missed, spread, table, verdict


class Someone:
    """A competitor that is never started."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.title = name.title()
        self.about = ""

    def running(self, settings: Settings) -> AbstractContextManager[Server]:
        raise AssertionError(settings)


US, KAFKA, MOCK = Someone("mockbroker"), Someone("kafka"), Someone("rdkafka-mock")
FLOOR = Someone("floor")
BOTH_GOALS = Figure(
    key="x",
    title="x",
    unit=Unit.MICROSECONDS,
    target=75,
    bounds=(Bound(rival="kafka", ratio=1 / 3),),
)


def results_of(key: str, *, us: float, kafka: float = 0, mock: float = 0) -> Results:
    results = Results()
    results.add(US, Sample({key: us}))
    results.add(KAFKA, Sample({key: kafka}))
    results.add(MOCK, Sample({key: mock}))
    return results


def test_the_median_is_that_of_all_rounds() -> None:
    results = Results()
    for value in (9.0, 1.0, 2.0):
        results.add(US, Sample({"start_ms": value}))
    assert results.median("start_ms", "mockbroker") == 2.0


def test_without_samples_there_is_no_median_and_no_ratio() -> None:
    results = Results()
    assert results.median("start_ms", "kafka") is None
    assert results.ratio("start_ms", "kafka") is None


def test_a_rival_of_nothing_gives_no_ratio() -> None:
    assert results_of("x", us=60, kafka=0).ratio("x", "kafka") is None


@pytest.mark.parametrize(
    ("us", "kafka", "expected"),
    [
        (60, 240, "met"),
        (80, 300, "MISSED (target)"),
        (60, 100, "MISSED (0.60 × kafka)"),
        (80, 100, "MISSED (target, 0.80 × kafka)"),
        (60, 0, "met, but no kafka"),
    ],
)
def test_a_verdict_names_each_missed_goal(us: float, kafka: float, expected: str) -> None:
    results = results_of("x", us=us, kafka=kafka)
    assert verdict(results, BOTH_GOALS) == expected


def test_what_was_not_measured_is_not_met() -> None:
    assert verdict(Results(), FIGURES["start_ms"]) == "not measured"


def test_missed_figures_are_listed_by_title() -> None:
    results = results_of("start_ms", us=131, kafka=2000)
    assert missed(results) == ["process start to first Metadata answer"]
    assert missed(results_of("start_ms", us=130)) == []


def test_a_repeated_note_is_listed_once() -> None:
    results = Results()
    results.add(MOCK, Sample({}, ("it keeps less",)))
    results.add(MOCK, Sample({}, ("it keeps less",)))
    assert results.notes == ["Rdkafka-Mock: it keeps less"]


def test_the_table_has_a_ratio_beside_each_rival() -> None:
    results = results_of("start_ms", us=100, kafka=2000, mock=80)
    results.add(US, Sample({"start_ms": 120}))
    lines = table(results, [US, KAFKA, MOCK])
    cells = [cell.strip() for cell in lines[2].strip("|").split("|")]
    title = "process start to first Metadata answer"
    ours = ["110 (100–120)", "met"]
    ratios = ["0.06 [0.05–0.06]", "1.38 [1.25–1.50]"]
    assert cells == [title, "ms", "≤ 130", *ours, "2000", ratios[0], "80", ratios[1]]


def test_a_ratio_is_that_of_each_round() -> None:
    results = Results()
    for ours, theirs in ((10.0, 100.0), (30.0, 200.0), (99.0, 300.0)):
        results.add(US, Sample({"x": ours}))
        results.add(KAFKA, Sample({"x": theirs}))
    assert results.ratios("x", "kafka") == [0.1, 0.15, 0.33]
    assert results.ratio("x", "kafka") == 0.15


def test_a_rival_with_fewer_rounds_is_compared_by_its_median() -> None:
    results = results_of("x", us=10, kafka=100)
    results.add(US, Sample({"x": 20}))
    assert results.ratios("x", "kafka") == [0.1, 0.2]


@pytest.mark.parametrize(
    ("ratios", "text"),
    [([], ""), ([0.5], "0.50"), ([0.5, 0.52, 0.51], "0.51"), ([0.2, 0.4, 0.3], "0.30 [0.20–0.40]")],
)
def test_a_ratio_that_wavers_has_its_range(ratios: list[float], text: str) -> None:
    assert spread(ratios) == text


def test_rates_are_shares_of_the_floor_too() -> None:
    results = results_of("produce_15_mb_s", us=100, kafka=10)
    results.add(FLOOR, Sample({"produce_15_mb_s": 200}))
    lines = table(results, [US, FLOOR, KAFKA])
    cells = [cell.strip() for cell in lines[2].strip("|").split("|")]
    assert cells[3] == "100 = 0.50 of the floor"
    assert cells[5:] == ["200", "0.50", "10 = 0.05 of the floor", "10.00"]
    figures = as_json(results, {})["figures"]
    assert isinstance(figures, dict)
    shares = figures["produce_15_mb_s"]["share_of_floor"]
    assert shares == {"mockbroker": "0.50", "kafka": "0.05", "rdkafka-mock": "0.00"}


def test_columns_are_aligned() -> None:
    assert aligned([["a", "bb"], ["ccc", "d"]]) == ["| a   | bb |", "| --- | -- |", "| ccc | d  |"]


def test_the_json_has_every_sample() -> None:
    results = results_of("start_ms", us=100, kafka=2000)
    results.add(US, Sample({"round_trip_p99_us": 9.0}))
    document = as_json(results, {"machine": "m"})
    assert document["machine"] == "m"
    assert document["figures"] == {
        "start_ms": {
            "samples": {"mockbroker": [100], "kafka": [2000], "rdkafka-mock": [0]},
            "median": {"mockbroker": 100, "kafka": 2000, "rdkafka-mock": 0},
            "title": "process start to first Metadata answer",
            "unit": "ms",
            "goal": "≤ 130",
            "verdict": "met",
        },
        "round_trip_p99_us": {
            "samples": {"mockbroker": [9.0]},
            "median": {"mockbroker": 9.0},
        },
    }
