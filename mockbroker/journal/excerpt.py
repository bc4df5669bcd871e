"""Excerpt of a journal for the report of a failed test: polling is folded, the rest is chosen."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Final

from mockbroker.journal.entry import Entry
from mockbroker.journal.files.lines import journal_lines
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode

NAMES_MAX: Final = 4
"""Number of names in a line about folded entries."""
_FETCHES: Final = {ApiKey.FETCH, ApiKey.SHARE_FETCH}
_POLLING: Final = {
    *_FETCHES,
    ApiKey.API_VERSIONS,
    ApiKey.CONSUMER_GROUP_HEARTBEAT,
    ApiKey.FIND_COORDINATOR,
    ApiKey.HEARTBEAT,
    ApiKey.METADATA,
    ApiKey.SHARE_GROUP_HEARTBEAT,
    ApiKey.STREAMS_GROUP_HEARTBEAT,
}
"""What clients send again and again; a call without an error or an event is folded."""
_TRANSACTIONAL: Final = {
    ApiKey.INIT_PRODUCER_ID,
    ApiKey.ADD_PARTITIONS_TO_TXN,
    ApiKey.ADD_OFFSETS_TO_TXN,
    ApiKey.END_TXN,
    ApiKey.WRITE_TXN_MARKERS,
    ApiKey.TXN_OFFSET_COMMIT,
}
_CALLS: Final = {"request", "answer"}
_BREAKS: Final = {"hang_up", "lost"}
_ORDINARY: Final = {*_CALLS, "append", "connected", "disconnected", "high_watermark"}
_NAME: Final = re.compile(r"(?<=['\"])[\w.-]+(?=['\"])|[\w.-]+-\d+\b")
"""A name in quotes, or the name of a partition: other words of a text may be names by chance."""


def journal_excerpt(entries: Sequence[Entry], lines_max: int, about: str = "") -> list[str]:
    """Format the entries that matter most, and count those between them.

    Errors and faults come first; then transactions, groups, and what names a topic, a group or a
    transactional id that the text `about` quotes; then what is newest. There are up to `lines_max`
    entries, and a line for each gap between them.
    """
    folded = _polling_calls(entries)
    names = frozenset(_NAME.findall(about))
    candidates = [
        (_weight(entry, names), index)
        for index, entry in enumerate(entries)
        if entry.call not in folded and entry.kind != "connected"
    ]
    chosen = {index for _, index in sorted(candidates)[-lines_max:]}
    counted: set[int] = set()
    lines: list[str] = []
    for is_chosen, group in groupby(range(len(entries)), chosen.__contains__):
        rows = [entries[index] for index in group]
        lines += journal_lines(rows) if is_chosen else _gap(rows, folded, counted)
        counted.update(row.call for row in rows if row.call is not None)
    return lines


def _polling_calls(entries: Iterable[Entry]) -> dict[int, str]:
    """Return the calls that are folded, with their names."""
    calls: dict[int, list[Entry]] = {}
    for entry in entries:
        if entry.call is not None:
            calls.setdefault(entry.call, []).append(entry)
    return {call: name for call, rows in calls.items() if (name := _polling_name(rows)) is not None}


def _polling_name(rows: Sequence[Entry]) -> str | None:
    """Return the name of a call that is polling without a result, and None for any other."""
    api = rows[0].api
    if api not in _POLLING or not all(row.kind in _CALLS and _is_uneventful(row) for row in rows):
        return None
    assert api is not None
    if api not in _FETCHES:
        return api.title
    answers = [row for row in rows if row.kind == "answer"]
    if any(_size_bytes(row) for row in answers):
        return None
    return f"{api.title} (empty)" if answers else f"{api.title} (unanswered)"


def _size_bytes(row: Entry) -> object:
    facts: dict[str, object] = {} if row.detail is None else json.loads(row.detail)
    return facts.get("bytes")


def _is_uneventful(row: Entry) -> bool:
    return row.rule is None and row.error in {None, ErrorCode.NONE}


def _weight(entry: Entry, names: frozenset[str]) -> int:
    """Return how much an entry matters; of equal ones, the newest matter most."""
    if not _is_uneventful(entry) or entry.kind in _BREAKS:
        return 2
    named = (entry.topic, f"{entry.topic}-{entry.partition}", entry.group, entry.transactional_id)
    return int(
        entry.kind not in _ORDINARY
        or entry.api in _TRANSACTIONAL
        or bool(entry.is_duplicate)
        or not names.isdisjoint(name for name in named if name is not None)
    )


def _gap(rows: Sequence[Entry], folded: dict[int, str], counted: set[int]) -> list[str]:
    """Count the entries of a gap by name; a call counts where it begins."""
    names = [row.kind for row in rows if row.call is None]
    for call, of_call in groupby(rows, lambda row: row.call):
        row = next(of_call)
        if call is not None and call not in counted:
            names.append(folded.get(call) or _name(row))
            counted.add(call)
    counts = Counter(names).most_common()
    shown = [f"{count} × {name}" for name, count in counts[:NAMES_MAX]]
    others = sum(count for _, count in counts[NAMES_MAX:])
    if others:
        shown.append(f"{others} others")
    return [f"… {', '.join(shown)}"] if shown else []


def _name(row: Entry) -> str:
    return row.kind if row.api is None else row.api.title
