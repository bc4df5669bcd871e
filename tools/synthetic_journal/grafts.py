"""Short recorded journals that are inserted into a synthetic one, between its scenes.

Anomalies that need a clock jump, a crash or a recreated topic were recorded from clusters: one
journal that breaks a rule, and a twin that does not (`tests/audit/golden`). Each is put in
under its own names and numbers.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from mockbroker.audit.runs.run import OFFSETS_LOG
from mockbroker.journal.entry import Entry
from mockbroker.journal.files.jsonl import entry_of

_GOLDEN: Final = Path(__file__).parents[2] / "tests" / "audit" / "golden"
RULES: Final = (
    "LSO_STUCK",
    "PREPARED_TXN_EXPIRED",
    "WRONG_TXN_ENDED",
    "DUPLICATE_PAYLOAD",
    "TOPIC_ID_CHANGED_UNDER_READER",
    "UNFENCED_EPOCH",
    "UNKNOWN_PID_RESET",
    "OWNED_TWICE",
    "DELIVERED_BEYOND_LIMIT",
    "ACKNOWLEDGED_TWICE",
    "COMMITTED_BEYOND_LOG",
    "COMMITTED_BACKWARDS",
    "ABORTED_AFTER_DELIVERY",
    "OFFSETS_OUTSIDE_TRANSACTION",
    "COMMITTED_UNREAD",
    "ORDER_CHANGED",
)
"""The rules whose anomalies are recorded."""
_PRODUCERS_APART: Final = 1_000
_FIRST_PRODUCER: Final = 1 << 40
_FIRST_CONNECTION: Final = 1 << 20
_QUICK_MS: Final = 100
_PARTITIONS_APART: Final = 100
_PLACE: Final = re.compile(rf'"(?!{OFFSETS_LOG}-)([\w.-]+)-(\d+)"')
_HOME: Final = re.compile(rf"{OFFSETS_LOG}-(\d+)")


class Graft:
    """A recorded journal, under its own names and numbers."""

    def __init__(self, rule: str, twin: str, number: int) -> None:
        """Read a recorded journal; `number` is unique."""
        lines = (_GOLDEN / rule.lower() / f"{twin}.jsonl").read_bytes().splitlines()
        self.rule: Final = rule
        self.is_broken: Final = twin == "fires"
        self._number: Final = number
        self._entries: Final = [entry_of(line) for line in lines]
        times = [entry.virtual_time_ms for entry in self._entries]
        self._first_ms: Final = min(times)
        self.duration_ms: Final = max(times) - self._first_ms

    @property
    def is_quick(self) -> bool:
        """True if it takes no longer than traffic of as many rows."""
        return self.duration_ms < _QUICK_MS

    def placed(self, seq: int, call: int, begin_ms: int) -> list[Entry]:
        """Return its rows, numbered from after `seq` and `call`."""
        later_ms = begin_ms - self._first_ms
        calls = sorted({entry.call for entry in self._entries if entry.call is not None})
        seqs = sorted({entry.seq for entry in self._entries})
        return [
            entry._replace(
                seq=seq + 1 + seqs.index(entry.seq),
                call=None if entry.call is None else call + 1 + calls.index(entry.call),
                virtual_time_ms=entry.virtual_time_ms + later_ms,
                wall_time_us=entry.wall_time_us + later_ms * 1_000,
                topic=entry.topic if entry.topic == OFFSETS_LOG else self._named(entry.topic),
                partition=self._partition(entry),
                transactional_id=self._named(entry.transactional_id),
                client_id=self._named(entry.client_id),
                group=self._named(entry.group),
                connection=_moved(entry.connection, _FIRST_CONNECTION, self._number),
                producer_id=_moved(entry.producer_id, _FIRST_PRODUCER, self._number),
                detail=self._detail(entry, later_ms),
            )
            for entry in self._entries
        ]

    def _named(self, name: str | None) -> str | None:
        return None if name is None else f"{name}-graft-{self._number}"

    def _detail(self, entry: Entry, later_ms: int) -> str | None:
        if entry.detail is None:
            return None
        if entry.kind == "clock":
            times: dict[str, Any] = json.loads(entry.detail)
            return json.dumps({name: value + later_ms for name, value in times.items()})
        named = _PLACE.sub(rf'"\1-graft-{self._number}-\2"', entry.detail)
        return _HOME.sub(lambda home: f"{OFFSETS_LOG}-{self._home(int(home[1]))}", named)

    def _partition(self, entry: Entry) -> int | None:
        is_home = entry.topic == OFFSETS_LOG and entry.partition is not None
        return self._home(entry.partition or 0) if is_home else entry.partition

    def _home(self, partition: int) -> int:
        """Return a partition of its own: the rules know the topic of offsets by its name."""
        return partition + _PARTITIONS_APART * self._number


def _moved(value: int | None, first: int, number: int) -> int | None:
    if value is None or value < 0:
        return value
    return first + number * _PRODUCERS_APART + value


def grafts(each: int) -> list[Graft]:
    """Return a number of grafts of each rule, and as many twins, slow ones first."""
    numbers = range(each * len(RULES) * 2)
    twins = [(rule, twin) for rule in RULES for twin in ("fires", "clean")] * each
    return sorted(
        (Graft(rule, twin, number) for number, (rule, twin) in zip(numbers, twins, strict=True)),
        key=lambda graft: graft.is_quick,
    )


def laid_out(wanted: Sequence[Graft], seq: int, call: int, end_ms: int) -> list[list[Entry]]:
    """Place grafts one after the other, so that the last ends at a time."""
    begin_ms = end_ms - sum(graft.duration_ms for graft in wanted)
    placed: list[list[Entry]] = []
    for graft in wanted:
        rows = graft.placed(seq, call, begin_ms)
        placed.append(rows)
        begin_ms += graft.duration_ms
        seq = rows[-1].seq
        call = max((row.call for row in rows if row.call is not None), default=call)
    return placed
