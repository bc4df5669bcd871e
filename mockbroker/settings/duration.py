"""Durations as people write them: `7d`, `90s`, `250ms`, or a `timedelta`.

A number in a document of JSON has its unit in the document's description: milliseconds. In Python a
number says nothing about its unit, and is deprecated.
"""

import re
import warnings
from datetime import timedelta
from math import isfinite
from typing import Final, Literal, TypeAlias

from mockbroker.errors import stack_level_of_caller

Duration: TypeAlias = str | timedelta | float
"""`7d`, `12h`, `30m`, `90s`, `250ms`, or a `timedelta`. A number without a unit is deprecated."""
Unit: TypeAlias = Literal["ms", "s"]

DEFAULT_TIMEOUT: Final = "5s"
"""Time for which a test waits for what is to happen at once."""

_UNITS_MS: Final = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_UNIT_NAMES: Final[dict[Unit, str]] = {"ms": "milliseconds", "s": "seconds"}
_DURATION: Final = re.compile(r"(\d+)(?:\.(\d+))?\s*(ms|s|m|h|d)")
_FORMS: Final = "{!r} is not a duration: write 7d, 12h, 30m, 90s or 250ms"
_MILLISECOND: Final = timedelta(milliseconds=1)


def is_duration(given: object) -> bool:
    """Return True for a text with a number and a unit, such as `7d`."""
    return isinstance(given, str) and _DURATION.fullmatch(given.strip()) is not None


def milliseconds(duration: Duration) -> int:
    """Return a duration in milliseconds; what is finer is rounded up.

    A number has to be one of milliseconds.

    Raises:
        ValueError: it is negative, or neither a `timedelta` nor a number with one of the units ms,
            s, m, h and d.

    """
    if isinstance(duration, str):
        match = _DURATION.fullmatch(duration.strip())
        if match is None:
            raise ValueError(_FORMS.format(duration))
        whole, decimals, unit = match[1], match[2] or "", match[3]
        scale: int = 10 ** len(decimals)
        return -(-int(whole + decimals) * _UNITS_MS[unit] // scale)
    if isinstance(duration, timedelta):
        duration_ms = -(-duration // _MILLISECOND)
    elif isinstance(duration, int) and not isinstance(duration, bool):
        duration_ms = duration
    else:
        raise ValueError(_FORMS.format(duration))
    if duration_ms < 0:
        raise ValueError(f"the time cannot be negative: {duration_ms} ms")
    return duration_ms


def duration_text(duration_ms: int) -> str:
    """Write a duration in the largest unit that holds it exactly: 2000 is `2s`."""
    for unit, size_ms in reversed(_UNITS_MS.items()):
        if duration_ms and duration_ms % size_ms == 0:
            return f"{duration_ms // size_ms}{unit}"
    return "0ms"


def with_unit(call: str, duration: Duration, unit: Unit = "ms") -> str | timedelta:
    """Return a duration that Python code passes; a bare number gets the unit that it stands for.

    `call` is the call with `{}` for the duration: `advance({})`. For a number there is a
    DeprecationWarning at the line that calls this package.

    Raises:
        ValueError: it is no duration; or a number is negative, or has a fraction of a millisecond.

    """
    if isinstance(duration, str | timedelta):
        return duration
    shown, name = call.format(duration), _UNIT_NAMES[unit]
    if not _is_number(duration):
        raise ValueError(f"{shown}: {_FORMS.format(duration)}")
    duration_ms = duration * _UNITS_MS[unit]
    if unit == "ms" and not isinstance(duration, int):
        raise ValueError(
            f"{shown}: a number without a unit stands for {name}, and has no fraction: write"
            f' "{round(duration * 1_000)}ms" or timedelta(seconds={duration}) for seconds'
        )
    text = duration_text(milliseconds(round(duration_ms)))
    seconds = f'; "{duration}s" are seconds' if unit == "ms" else ""
    warnings.warn(
        f"{shown}: a number without a unit is deprecated; write {call.format(repr(text))}, which"
        f" is what it means now, or timedelta({name}={duration}){seconds}",
        DeprecationWarning,
        stacklevel=stack_level_of_caller(),
    )
    return text


def _is_number(given: object) -> bool:
    return isinstance(given, int | float) and not isinstance(given, bool) and isfinite(given)
