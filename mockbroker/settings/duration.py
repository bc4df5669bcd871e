"""Durations as text: `7d`, `90s`, `250ms`, or a number of milliseconds."""

import re
from typing import Final

_UNITS_MS: Final = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_DURATION: Final = re.compile(r"(\d+)\s*(ms|s|m|h|d)")


def milliseconds(duration: str | int) -> int:
    """Return a duration in milliseconds.

    Raises:
        ValueError: it is negative, or not a number with one of the units ms, s, m, h and d.

    """
    if isinstance(duration, int):
        if duration < 0:
            raise ValueError(f"the time cannot be negative: {duration} ms")
        return duration
    match = _DURATION.fullmatch(duration.strip())
    if match is None:
        raise ValueError(f"{duration!r} is not a duration: write 7d, 12h, 30m, 90s or 250ms")
    return int(match[1]) * _UNITS_MS[match[2]]


def duration_text(duration_ms: int) -> str:
    """Write a duration in the largest unit that holds it exactly: 2000 is `2s`."""
    for unit, size_ms in reversed(_UNITS_MS.items()):
        if duration_ms and duration_ms % size_ms == 0:
            return f"{duration_ms // size_ms}{unit}"
    return "0ms"
