"""Surveys of batches with the same layout as an earlier batch.

If a producer's messages have one size, the lengths and deltas that a survey reads are the same in
each batch; only keys, values and perhaps timestamps differ. A plan stores the earlier bytes by
columns: with `stride` the size of a record, `data[i::stride]` is the i-th byte of each record. If
every column is equal, so is the survey; timestamps that differ are read again. Nothing is sampled.
"""

from typing import Final, NamedTuple

from mockbroker.protocol.records.validation.survey import survey_records
from mockbroker.protocol.records.varint import read_varint, read_varlong

RECORDS: Final = range(24, 1_001)
"""Record counts with a plan: fewer are surveyed as fast, more take long to learn."""

COLUMNS_MAX: Final = 40
"""Largest number of columns: with more record sizes, comparing is too slow."""

_LEARN_AFTER: Final = 2
_KEPT_MAX: Final = 16
_LEARNT_MAX: Final = 64
_ONE_BYTE: Final = 128
_SHORT_DELTA: Final = 64


class SurveyPlans:
    """Plans of one stream of batches, by batch size and number of records."""

    __slots__ = ("_learnt", "_plans", "_seen")

    def __init__(self) -> None:
        """Start without plans."""
        self._learnt = 0
        self._plans: dict[tuple[int, int], _Plan] = {}
        self._seen: dict[tuple[int, int], int] = {}

    def survey(self, data: bytes | bytearray, pos: int, end: int, count: int) -> tuple[int, int]:
        """Survey records as `survey_records` does; return the lowest and highest timestamp delta.

        Raises:
            SurveyError: a length, a count or a varint is invalid.
            VarintError: the varint of a record's length has more than five bytes.

        """
        if count not in RECORDS:
            return survey_records(data, pos, end, count)[:2]
        key = (end - pos, count)
        plan = self._plans.get(key)
        if plan is not None:
            found = plan.survey(data[pos:end])
            if found is not None:
                return found
        lowest, highest, _, _ = survey_records(data, pos, end, count)
        if plan is None and self._learnt < _LEARNT_MAX:
            self._note(key, data, pos)
        return lowest, highest

    def _note(self, key: tuple[int, int], data: bytes | bytearray, pos: int) -> None:
        """Learn repeated layouts; a stream that always differs stops learning."""
        if len(self._seen) >= _KEPT_MAX and key not in self._seen:
            self._seen.clear()
            self._plans.clear()
        seen = self._seen[key] = self._seen.get(key, 0) + 1
        if seen == _LEARN_AFTER:
            self._learnt += 1
            size_bytes, count = key
            plan = _plan_of(bytes(data[pos : pos + size_bytes]), count)
            if plan is not None:
                self._plans[key] = plan


class _Plan(NamedTuple):
    """Columns that a survey reads, with their expected bytes."""

    fixed: tuple[tuple[slice, bytes], ...]
    timestamps: tuple[tuple[slice, bytes], ...]
    """Columns of the timestamp deltas of one byte."""
    lowest: int
    highest: int
    has_long_deltas: bool

    def survey(self, records: bytes | bytearray) -> tuple[int, int] | None:
        """Survey records of the same size and number; return None if the layout differs."""
        for column, expected in self.fixed:
            if records[column] != expected:
                return None
        if all(records[column] == expected for column, expected in self.timestamps):
            return self.lowest, self.highest
        if self.has_long_deltas:
            return None
        deltas = b"".join([records[column] for column, _ in self.timestamps])
        if max(deltas) >= _ONE_BYTE:
            return None
        values = {delta >> 1 ^ -(delta & 1) for delta in set(deltas)}
        return min(values), max(values)


class _Layout(NamedTuple):
    """Positions of the fields of one record, from its start."""

    size: int
    fixed: tuple[int, ...]
    timestamp: int
    """Position of a timestamp delta of one byte; -1 if it is longer."""


def _plan_of(records: bytes, count: int) -> _Plan | None:
    """Create the plan of surveyed records; return None if it has too many columns."""
    fixed: list[slice] = []
    timestamps: list[slice] = []
    deltas: list[int] = []
    start = pos = run = 0
    layout: _Layout | None = None
    for _ in range(count):
        found, delta = _layout_at(records, pos)
        deltas.append(delta)
        if found != layout:
            if layout is not None:
                _add_columns(layout, start, run, fixed, timestamps)
            layout, start, run = found, pos, 0
            if len(fixed) > COLUMNS_MAX:
                return None
        run += 1
        pos += found.size
    if layout is not None:
        _add_columns(layout, start, run, fixed, timestamps)
    if len(fixed) > COLUMNS_MAX or not timestamps:
        return None
    return _Plan(
        tuple((column, records[column]) for column in fixed),
        tuple((column, records[column]) for column in timestamps),
        min(deltas),
        max(deltas),
        any(not -_SHORT_DELTA <= delta < _SHORT_DELTA for delta in deltas),
    )


def _add_columns(
    layout: _Layout, start: int, run: int, fixed: list[slice], timestamps: list[slice]
) -> None:
    def column(at: int) -> slice:
        return slice(start + at, start + at + layout.size * (run - 1) + 1, layout.size)

    fixed += map(column, layout.fixed)
    if layout.timestamp >= 0:
        timestamps.append(column(layout.timestamp))


def _layout_at(records: bytes, start: int) -> tuple[_Layout, int]:
    """Return the layout of the record at `start`, and its timestamp delta."""
    length, body_at = read_varint(records, start)
    timestamp_at = body_at + 1
    delta, offset_at = read_varlong(records, timestamp_at)
    _, key_length_at = read_varint(records, offset_at)
    key_size, key_at = read_varint(records, key_length_at)
    value_length_at = key_at + max(key_size, 0)
    value_size, value_at = read_varint(records, value_length_at)
    headers_at = value_at + max(value_size, 0)
    is_short = offset_at == timestamp_at + 1
    places = [
        *range(start, timestamp_at),
        *(() if is_short else range(timestamp_at, offset_at)),
        *range(offset_at, key_at),
        *range(value_length_at, value_at),
        *range(headers_at, body_at + length),
    ]
    fixed = tuple(place - start for place in places)
    timestamp = timestamp_at - start if is_short else -1
    return _Layout(body_at + length - start, fixed, timestamp), delta
