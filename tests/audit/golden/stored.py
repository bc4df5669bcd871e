"""The golden journals: for each rule one that breaks only it, and a clean twin.

`scenarios.py` has the programs that made them, `record.py` makes them again.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from mockbroker.journal.entry import Entry
from mockbroker.journal.files.jsonl import entry_of, line_of
from mockbroker.protocol.api_keys import ApiKey

FOLDER: Final = Path(__file__).parent
Twin: TypeAlias = Literal["fires", "clean"]
TWINS: Final[tuple[Twin, Twin]] = ("fires", "clean")
_BEGIN_MS: Final = 1_700_000_000_000
"""When all golden journals begin."""
_BESIDE: Final = frozenset({ApiKey.API_VERSIONS, ApiKey.FIND_COORDINATOR, ApiKey.METADATA})
"""Whose calls have ports in them, and nothing to judge."""


def path_of(rule: str, twin: Twin) -> Path:
    """Return the path of a golden journal."""
    return FOLDER / rule.lower() / f"{twin}.jsonl"


def golden(rule: str, twin: Twin) -> list[Entry]:
    """Read a golden journal."""
    return [entry_of(line) for line in path_of(rule, twin).read_bytes().splitlines()]


def written(entries: Iterable[Entry]) -> bytes:
    """Write a journal as it would be if it had begun at the golden time, and on any machine."""
    kept = [
        each
        for each in entries
        if each.kind not in {"connected", "disconnected", "hang_up"} and each.api not in _BESIDE
    ]
    shift_ms = _BEGIN_MS - min(each.virtual_time_ms for each in kept)
    return b"".join(line_of(_shifted(each, shift_ms)) for each in kept)


def _shifted(entry: Entry, shift_ms: int) -> Entry:
    now_ms = entry.virtual_time_ms + shift_ms
    detail = entry.detail
    if entry.kind == "clock" and detail is not None:
        times: dict[str, Any] = json.loads(detail)
        shifted = {name: value + shift_ms for name, value in times.items()}
        detail = json.dumps(shifted, separators=(",", ":"))
    is_internal = entry.topic is not None and entry.topic.startswith("__")
    return entry._replace(
        virtual_time_ms=now_ms,
        wall_time_us=now_ms * 1_000,
        detail=detail,
        crc=None if is_internal else entry.crc,  # what coordinators write has times in it
    )
