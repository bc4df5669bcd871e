"""Times of a timeline's columns as text: with the date where the columns have several."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

_TIME: Final = "%H:%M:%S.%f"
_FIRST: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST_MS: Final = 253_402_300_799_999
"""The last millisecond of the year 9999."""


def clock_texts(times_ms: Sequence[int | None]) -> list[str]:
    """Format times as `12:30:00.250`, or with the date, and with the year, if they differ in it."""
    times = [_time(each) for each in times_ms]
    known = [each for each in times if each is not None]
    shape = _TIME
    if len({each.date() for each in known}) > 1:
        shape = "%m-%d %H:%M:%S"
    if len({each.year for each in known}) > 1:
        shape = "%Y-%m-%d %H:%M"
    return ["" if each is None else _shaped(each, shape) for each in times]


def _time(time_ms: int | None) -> datetime | None:
    """Convert a time; None for one that no calendar has, which a client may send."""
    if time_ms is None or not 0 <= time_ms <= _LATEST_MS:
        return None
    return _FIRST + timedelta(milliseconds=time_ms)


def _shaped(time: datetime, shape: str) -> str:
    text = time.strftime(shape)
    return text[:-3] if shape == _TIME else text
