"""Times of columns as text."""

from mockbroker.timeline.clock_text import clock_texts

NOW_MS = 1_900_000_000_250
DAY_MS = 86_400_000


def test_times_of_one_day_are_without_a_date() -> None:
    assert clock_texts([NOW_MS, None, NOW_MS + 10]) == ["17:46:40.250", "", "17:46:40.260"]


def test_times_of_several_days_have_the_date() -> None:
    assert clock_texts([NOW_MS, NOW_MS + DAY_MS]) == ["03-17 17:46:40", "03-18 17:46:40"]


def test_times_of_several_years_have_the_year() -> None:
    assert clock_texts([NOW_MS, NOW_MS + 366 * DAY_MS]) == ["2030-03-17 17:46", "2031-03-18 17:46"]


def test_times_that_no_calendar_has_are_empty() -> None:
    assert clock_texts([-1, 1 << 62]) == ["", ""]
