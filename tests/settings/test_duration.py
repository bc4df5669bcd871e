"""Lengths of time as people write them."""

import pytest

from mockbroker.settings.duration import duration_text, milliseconds


@pytest.mark.parametrize(
    ("written", "expected_ms"),
    [
        ("250ms", 250),
        ("90s", 90_000),
        ("30m", 1_800_000),
        ("12h", 43_200_000),
        ("7d", 604_800_000),
        (" 7 d ", 604_800_000),
        (1_500, 1_500),
        (0, 0),
    ],
)
def test_a_duration_has_a_number_and_a_unit(written: str | int, expected_ms: int) -> None:
    assert milliseconds(written) == expected_ms


@pytest.mark.parametrize("written", ["", "7", "d", "-7d", "7 days", "1.5h", "7d 2h"])
def test_anything_else_is_no_duration(written: str) -> None:
    with pytest.raises(ValueError, match="is not a duration: write 7d"):
        milliseconds(written)


def test_time_does_not_go_back() -> None:
    with pytest.raises(ValueError, match="the time cannot be negative: -1 ms"):
        milliseconds(-1)


@pytest.mark.parametrize(
    ("duration_ms", "written"),
    [(0, "0ms"), (250, "250ms"), (2_000, "2s"), (90_000, "90s"), (604_800_000, "7d")],
)
def test_a_duration_is_written_in_the_largest_unit_that_fits(
    duration_ms: int, written: str
) -> None:
    assert duration_text(duration_ms) == written
    assert milliseconds(written) == duration_ms
