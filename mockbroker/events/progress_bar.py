"""Progress bars on a terminal: how far, how fast, and how long it still takes. click draws them."""

import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Final, TextIO

Advance = Callable[[int], None]
"""Function that takes how much more was done."""

_CLICK: Final = "click"
"""Loaded by name: a start of `serve` does not import it."""
_STEPS: Final = 500
"""Number of times that a bar may move."""
_BYTES: Final = "B"
_MEGA: Final = 1e6


class ProgressBar:
    """Bar of a piece of work whose size is known."""

    def __init__(
        self,
        label: str,
        total: int,
        unit: str,
        stream: TextIO,
        now_s: Callable[[], float] = time.monotonic,
        *,
        begun_s: float | None = None,
    ) -> None:
        """Draw an empty bar; `unit` is `B` for bytes, or a word in the plural.

        The work began at `begun_s`, or now; its rate is that since then.
        """
        self._unit = unit
        self._now_s = now_s
        self._begun_s = now_s() if begun_s is None else begun_s
        self._waiting = 0
        self._bar: Any = import_module(_CLICK).progressbar(
            length=total,
            label=label,
            file=stream,
            item_show_func=_shown,
            show_pos=unit != _BYTES,
            show_percent=True,
        )
        self._bar.__enter__()

    def advance(self, count: int) -> None:
        """Count what was done; the bar moves when it is worth it."""
        self._waiting += count
        if self._waiting * _STEPS >= self._bar.length:
            self.reach(self._bar.pos + self._waiting)

    def reach(self, done: int, total: int | None = None) -> None:
        """Move the bar to what is done of the total, which may have grown."""
        if total is not None:
            self._bar.length = max(total, 1)
        self._waiting = 0
        self._bar.update(done - self._bar.pos, self._rate(done))
        self._bar.render_progress()  # also where only the total has changed

    def close(self) -> None:
        """Remove the bar's last line, so that another can be written."""
        if self._waiting:
            self.reach(self._bar.pos + self._waiting)
        self._bar.render_finish()

    def _rate(self, done: int) -> str:
        rate = done / max(self._now_s() - self._begun_s, 1e-3)
        if self._unit == _BYTES:
            return f"{rate / _MEGA:.1f} MB/s"
        return f"{rate:,.0f} {self._unit}/s" if rate >= 1 else f"{rate * 60:.0f} {self._unit}/min"


@contextmanager
def progress_bar(
    label: str, total: int, unit: str, *, is_wanted: bool = True, stream: TextIO | None = None
) -> Generator[Advance]:
    """Show a bar on stderr, if that is a terminal, while the work in the `with` block runs."""
    shown_on: TextIO = stream or sys.stderr
    if not is_wanted or total <= 0 or not shown_on.isatty():
        yield ignore_advance
        return
    bar = ProgressBar(label, total, unit, shown_on)
    try:
        yield bar.advance
    finally:
        bar.close()


def _shown(rate: str | None) -> str | None:
    return rate


def ignore_advance(_count: int) -> None:
    """Show nothing of what was done."""
