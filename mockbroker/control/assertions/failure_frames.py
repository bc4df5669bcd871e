"""Frames of a failure that its report does not show: ours, and Python's between and below them.

It imports the standard library only, because it is used for every failed test of a run.
"""

import sys
from collections.abc import Iterator, Sequence
from itertools import pairwise
from types import TracebackType
from typing import Final

_OURS: Final = __name__.partition(".")[0]
_LEFT_OUT: Final = {_OURS, "anyio", "outcome", "trio", *sys.stdlib_module_names}
"""Packages whose frames a failure does not show below the test's own call."""


def leave_out_our_frames(failure: BaseException) -> None:
    """Cut the frames below the test's own call from an exception, and from those behind it."""
    for each in _chain(failure, set()):
        _cut(each)


def _cut(failure: BaseException) -> None:
    """Cut what is below the test's own call: our frames, and those of the threads that we use."""
    frames: list[TracebackType] = []
    link = failure.__traceback__
    while link is not None:
        frames.append(link)
        link = link.tb_next
    packages = [str(each.tb_frame.f_globals.get("__name__")).partition(".")[0] for each in frames]
    calls_us = packages.index(_OURS) if _OURS in packages else 0
    if not set(packages[:calls_us]) - {"_pytest", "pluggy"}:
        return
    shown = frames[:calls_us] + [
        each
        for each, package in zip(frames[calls_us:], packages[calls_us:], strict=True)
        if package not in _LEFT_OUT
    ]
    for each, following in pairwise([*shown, None]):
        assert each is not None
        each.tb_next = following


def _chain(failure: BaseException, seen: set[int]) -> Iterator[BaseException]:
    """Yield an exception, those that it has replaced, and those of a group, each once."""
    if id(failure) in seen:
        return
    seen.add(id(failure))
    yield failure
    grouped: Sequence[BaseException] = getattr(failure, "exceptions", ())
    for each in (failure.__cause__ or failure.__context__, *grouped):
        if isinstance(each, BaseException):
            yield from _chain(each, seen)
