"""Figures: comparison with bounds, and formatting of numbers."""

import pytest

from bench.figure import Bound, Figure, Unit, number


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1_250_000.0, "1.25M"),
        (251_400.0, "251k"),
        (46_300.0, "46.3k"),
        (4257.0, "4257"),
        (63.14, "63.1"),
        (1.234, "1.23"),
        (0.041, "0.04"),
        (0.0, "0.00"),
    ],
)
def test_a_number_has_three_digits(value: float, text: str) -> None:
    assert number(value) == text


def test_more_requests_are_better() -> None:
    figure = Figure(key="x", title="x", unit=Unit.REQUESTS_PER_S, target=100)
    assert figure.reaches(100, 100)
    assert not figure.reaches(99, 100)


def test_fewer_milliseconds_are_better() -> None:
    figure = Figure(key="x", title="x", unit=Unit.MILLISECONDS, target=100)
    assert figure.reaches(100, 100)
    assert not figure.reaches(101, 100)


def test_goals_name_target_and_rivals() -> None:
    bounds = (Bound(rival="kafka", ratio=1 / 3),)
    figure = Figure(key="x", title="x", unit=Unit.MICROSECONDS, target=75, bounds=bounds)
    assert figure.goals() == "≤ 75, ≤ 0.33 × kafka"


def test_a_figure_without_goals_has_no_text() -> None:
    assert Figure(key="x", title="x", unit=Unit.SHARE).goals() == ""
