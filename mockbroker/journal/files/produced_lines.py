"""The lines of JSON of produced batches, which are most of what a journal holds under load.

The lines of one shape of batches are made once, with gaps for the numbers in which they differ. The
lines of a run are those of its first batch, repeated; then each digit that differs is written into
all of them at once, as a slice with a stride. That takes a third of the time of a text for each
number, and time is short here: the thread that writes shares Python's lock with the loop.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from mockbroker.events.event_types import ClusterEvent
from mockbroker.journal.entry import Entry, plain
from mockbroker.journal.expansion import run_entries
from mockbroker.journal.files.produced import ProducedRun
from mockbroker.journal.heard import Heard

SHAPES_KEPT: Final = 1_000


class ProducedLines:
    """Writes the lines of produced batches."""

    def __init__(self) -> None:
        """Know no shape yet."""
        self._shapes: Final[dict[tuple[object, ...], _Shape]] = {}

    def text(self, heard: Heard, run: ProducedRun) -> bytearray:
        """Write the lines of all batches of a run."""
        log = run.log
        key = (
            *(run.sender, log.topic, log.partition, log.leader_id, log.leader_epoch, run.follows),
            *(run.producer_id, run.producer_epoch, run.record_count, run.is_transactional),
        )
        shape = self._shapes.get(key)
        if shape is None:
            if len(self._shapes) >= SHAPES_KEPT:
                self._shapes.clear()
            shape = self._shapes[key] = _Shape(run)
        return shape.filled(heard, run)


class _Column(NamedTuple):
    """The numbers in a gap: the first as text, and the digits in which the others differ."""

    first: bytes
    digits: Sequence[tuple[int, bytes]] = ()
    """A place in the text, and what stands there in each batch."""


class _Shape:
    """The lines of one batch, with a gap for each number that is not the same in all batches."""

    def __init__(self, run: ProducedRun) -> None:
        """Write the lines, and leave out what differs."""
        differs = _differing(run)
        parts = [""]
        gaps: list[str] = []
        for each, entry in enumerate(run_entries(run.one(0), _NOTHING_HEARD)):
            before = "{"
            for name, value in zip(Entry._fields, entry, strict=True):
                if value is None:
                    continue
                parts[-1] += f'{before}"{name}":'
                before = ","
                if name in differs:
                    gaps.append(f"seq {each}" if name == "seq" else name)
                    parts.append("")
                else:
                    parts[-1] += json.dumps(plain(value), ensure_ascii=False)
            parts[-1] += "}\n"
        self._before: Final = parts[0].encode()
        self._gaps: Final = tuple(
            (gap, part.encode()) for gap, part in zip(gaps, parts[1:], strict=True)
        )

    def filled(self, heard: Heard, run: ProducedRun) -> bytearray:
        """Repeat the lines for each batch of a run, with its numbers."""
        columns = _columns(heard, run)
        pieces = [self._before]
        length = len(self._before)
        differences: list[tuple[int, bytes]] = []
        for gap, part in self._gaps:
            first, digits = columns[gap]
            differences += [(length + place, each) for place, each in digits]
            pieces += (first, part)
            length += len(first) + len(part)
        lines = bytearray(b"".join(pieces)) * len(run.correlation_ids)
        for place, each in differences:
            lines[place::length] = each
        return lines


def _differing(run: ProducedRun) -> frozenset[str]:
    """Return the columns in which batches of one shape differ."""
    of_call = ("seq", "wall_time_us", "virtual_time_ms", "call", "correlation_id", "crc")
    of_log = ("base_offset", "last_offset", *_OF_LOG)
    sequence = ("base_sequence",) if run.producer_id >= 0 else ()
    return frozenset((*of_call, *of_log, *sequence))


def _columns(heard: Heard, run: ProducedRun) -> Mapping[str, _Column]:
    """Return what goes into the gaps, by their names."""
    log, size, count = run.log, run.record_count, len(run.correlation_ids)
    stable_follows, watermark_follows = run.follows
    starts, ends = (_counted(run.base_offset + more, count, size) for more in (0, size))
    columns = {
        "wall_time_us": _same(heard.wall_time_us),
        "virtual_time_ms": _same(heard.virtual_time_ms),
        "call": _counted(run.first_number, count),
        "correlation_id": _numbers(run.correlation_ids),
        "base_sequence": _counted(run.base_sequence, count),
        "crc": _listed(run.crcs),
        "base_offset": starts,
        "last_offset": starts if size == 1 else _counted(run.base_offset + size - 1, count, size),
        "log_start_offset": _same(log.log_start_offset),
        "last_stable_offset": ends if stable_follows else _same(log.last_stable_offset),
        "high_watermark": ends if watermark_follows else _same(log.high_watermark),
        "log_end_offset": ends,
    }
    step = len(run.kinds)
    for each in range(step):
        columns[f"seq {each}"] = _counted(heard.seq + each, count, step)
    return columns


# Digits


def _same(number: int) -> _Column:
    return _Column(b"%d" % number)


def _counted(first: int, count: int, step: int = 1) -> _Column:
    """Write numbers that are a step apart: all but the last digits are those of the first."""
    last = first + (count - 1) * step
    text = b"%d" % first
    changing = next((n for n, power in enumerate(_POWERS) if first // power == last // power), None)
    if changing is None or changing > len(text):
        return _listed(range(first, last + 1, step))
    end, beyond = len(text) - 1, last - first + 1
    digits: list[tuple[int, bytes]] = []
    for place in range(changing):
        start = first % _POWERS[place + 1]
        digits.append((end - place, _DIGITS[place][start : start + beyond : step]))
    return _Column(text, digits)


def _listed(numbers: Sequence[int]) -> _Column:
    """Write any numbers; JSON lets the shorter ones stand behind spaces."""
    width = max(len(str(max(numbers))), len(str(min(numbers))))
    texts = (f"%{width}d" * len(numbers) % tuple(numbers)).encode()
    return _Column(texts[:width], [(place, texts[place::width]) for place in range(width)])


def _numbers(numbers: Sequence[int]) -> _Column:
    """Write numbers that are one apart, mostly."""
    first, count = numbers[0], len(numbers)
    if list(numbers) == list(range(first, first + count)):
        return _counted(first, count)
    return _listed(numbers)


_POWERS: Final = (1, 10, 100, 1_000, 10_000)
_DIGITS: Final = tuple(
    b"".join(b"%d" % digit * power for digit in range(10)) * (2 * _POWERS[-1] // (10 * power))
    for power in _POWERS[:-1]
)
"""The last digit of each number from 0 to 19,999, then the one before it, and so on."""
_OF_LOG: Final = ("log_start_offset", "last_stable_offset", "high_watermark", "log_end_offset")
_NOTHING_HEARD: Final = Heard(0, 0, 0, None, None, ClusterEvent("", {}))
