"""Lengths of time as people write them."""

import re
import warnings
from datetime import timedelta
from typing import cast

import pytest

from mockbroker.settings.duration import Duration, Unit, duration_text, milliseconds, with_unit


@pytest.mark.parametrize(
    ("written", "expected_ms"),
    [
        ("250ms", 250),
        ("90s", 90_000),
        ("30m", 1_800_000),
        ("12h", 43_200_000),
        ("7d", 604_800_000),
        (" 7 d ", 604_800_000),
        ("1.5h", 5_400_000),
        ("30.0s", 30_000),
        ("0.57s", 570),
        ("0.1ms", 1),
        (timedelta(days=7), 604_800_000),
        (timedelta(seconds=0.25), 250),
        (timedelta(microseconds=1), 1),
        (1_500, 1_500),
        (0, 0),
    ],
)
def test_a_duration_has_a_number_and_a_unit(written: Duration, expected_ms: int) -> None:
    assert milliseconds(written) == expected_ms


@pytest.mark.parametrize("written", ["", "7", "d", "-7d", "7 days", ".5h", "7d 2h", 0.25])
def test_anything_else_is_no_duration(written: Duration) -> None:
    with pytest.raises(ValueError, match="is not a duration: write 7d"):
        milliseconds(written)


@pytest.mark.parametrize("written", [-1, timedelta(milliseconds=-1)])
def test_time_does_not_go_back(written: Duration) -> None:
    with pytest.raises(ValueError, match="the time cannot be negative: -1 ms"):
        milliseconds(written)


@pytest.mark.parametrize(
    ("duration_ms", "written"),
    [(0, "0ms"), (250, "250ms"), (2_000, "2s"), (90_000, "90s"), (604_800_000, "7d")],
)
def test_a_duration_is_written_in_the_largest_unit_that_fits(
    duration_ms: int, written: str
) -> None:
    assert duration_text(duration_ms) == written
    assert milliseconds(written) == duration_ms


@pytest.mark.parametrize("written", ["7d", timedelta(days=7)])
def test_a_duration_with_a_unit_is_not_warned_of(written: str | timedelta) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert with_unit("advance({})", written) == written


MEANT = "a number without a unit is deprecated; write {}, which is what it means now, or timedelta"


@pytest.mark.parametrize(
    ("number", "unit", "text", "why"),
    [
        (7, "ms", "7ms", MEANT.format("advance('7ms')") + '(milliseconds=7); "7s" are seconds'),
        (0.5, "s", "500ms", MEANT.format("advance('500ms')") + "(seconds=0.5)"),
    ],
)
def test_a_number_without_a_unit_keeps_its_meaning_with_a_warning(
    number: float, unit: Unit, text: str, why: str
) -> None:
    with pytest.warns(DeprecationWarning, match=re.escape(f"advance({number}): {why}")) as told:
        assert with_unit("advance({})", number, unit) == text
    assert told[0].filename == __file__


def test_a_fraction_of_milliseconds_is_refused_because_seconds_are_meant() -> None:
    why = (
        "delay(0.25): a number without a unit stands for milliseconds, and has no fraction: write"
        ' "250ms" or timedelta(seconds=0.25) for seconds'
    )
    with pytest.raises(ValueError, match=re.escape(why)):
        with_unit("delay({})", 0.25)


@pytest.mark.parametrize("given", [None, True, float("nan"), float("inf"), [7]])
def test_what_is_no_length_of_time_is_refused_with_the_call(given: object) -> None:
    why = f"wait(timeout={given}): {given!r} is not a duration: write 7d"
    with pytest.raises(ValueError, match=re.escape(why)):
        with_unit("wait(timeout={})", cast("Duration", given), "s")
