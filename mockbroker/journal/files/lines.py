"""Entries as text, one line each, for the report of a failed test and for the command line."""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

from mockbroker.journal.entry import Entry
from mockbroker.protocol.errors import ErrorCode

_MILLISECONDS: Final = 1000
_DAY_MS: Final = 86_400_000
_TIME: Final = "%H:%M:%S.%f"
_KIND_WIDTH: Final = 12
_DETAIL_MAX: Final = 120


def journal_lines(entries: Iterable[Entry], *, has_dates: bool = False) -> list[str]:
    """Format entries as lines: number, time, kind, client, API, partition, and result.

    Times have their date with `has_dates`, or if the entries are of several days.
    """
    rows = list(entries)
    days = {entry.virtual_time_ms // _DAY_MS for entry in rows}
    shape = f"%Y-%m-%d {_TIME}" if has_dates or len(days) > 1 else _TIME
    return [_line(entry, shape) for entry in rows]


def _line(entry: Entry, shape: str) -> str:
    parts = [
        f"#{entry.seq}",
        time_text(entry.virtual_time_ms, shape),
        entry.kind.ljust(_KIND_WIDTH),
    ]
    parts += [part for part in (_call(entry), _what(entry), _outcome(entry), _fault(entry)) if part]
    if entry.detail is not None:
        parts.append(_detail(entry.detail))
    return " ".join(parts)


def time_text(time_ms: int, shape: str) -> str:
    """Format a time down to its milliseconds, or as a number if no calendar has it.

    `shape` ends with microseconds. In a topic, times are those that clients have sent.
    """
    try:
        at = datetime.fromtimestamp(time_ms / _MILLISECONDS, UTC)
    except (OverflowError, ValueError, OSError):
        return f"{time_ms} ms"
    return at.strftime(shape)[:-3]


def _call(entry: Entry) -> str:
    parts: list[str] = []
    if entry.api is not None:
        parts.append(f"{entry.api.title} v{entry.version}")
    if entry.call is not None:
        parts.append(f"call {entry.call}")
    if entry.connection is not None:
        client = "" if entry.client_id is None else f" {entry.client_id}"
        parts.append(f"(connection {entry.connection}{client} to broker {entry.broker})")
    elif entry.broker is not None:
        parts.append(f"broker {entry.broker}")
    return " ".join(parts)


def _what(entry: Entry) -> str:
    parts: list[str] = []
    if entry.topic is not None:
        parts.append(entry.topic if entry.partition is None else f"{entry.topic}-{entry.partition}")
    if entry.group is not None:
        parts.append(f"group {entry.group}")
    if entry.transactional_id is not None:
        parts.append(f"transaction {entry.transactional_id}")
    if entry.marker is not None:
        parts.append(entry.marker)
    if entry.producer_id is not None and entry.producer_id >= 0:
        parts.append(f"producer {entry.producer_id} epoch {entry.producer_epoch}")
        if entry.base_sequence is not None and entry.base_sequence >= 0:
            parts.append(f"sequence {entry.base_sequence}")
    if entry.record_count is not None:
        parts.append(f"{entry.record_count} record{'s' * (entry.record_count != 1)}")
    return ", ".join(parts)


def _outcome(entry: Entry) -> str:
    parts: list[str] = []
    if entry.base_offset is not None and entry.base_offset >= 0:
        parts.append(f"at {entry.base_offset}")
    if entry.is_duplicate:
        parts.append("DUPLICATE")
    if entry.error is not None and (entry.error is not ErrorCode.NONE or entry.kind == "answer"):
        parts.append(f"-> {entry.error.name}")
    if entry.state_before is not None:
        parts.append(f"{entry.state_before} -> {entry.state_after or 'gone'}")
    return " ".join(parts)


def _fault(entry: Entry) -> str:
    if entry.rule is None:
        return ""
    parts = [f"by {entry.rule}"]
    parts += [] if entry.effect is None else [entry.effect]
    parts += [] if entry.applied is None else [f"applied {entry.applied}"]
    return f"[{', '.join(parts)}]"


def _detail(detail: str) -> str:
    known: dict[str, object] = json.loads(detail)
    text = " ".join(f"{name}={value}" for name, value in known.items())
    return text if len(text) <= _DETAIL_MAX else text[: _DETAIL_MAX - 1] + "…"
