"""TOPIC_ID_CHANGED_UNDER_READER: offsets of one topic mean nothing in another of its name."""

import json
from typing import Final, TypeAlias

from mockbroker.audit.case import Case
from mockbroker.audit.finding import AuditFinding
from mockbroker.audit.rule_table import RULES
from mockbroker.audit.run import Lane, Run, lane_key
from mockbroker.audit.words import place_text

_RULE: Final = RULES["TOPIC_ID_CHANGED_UNDER_READER"]
_Reader: TypeAlias = tuple[str, str, int]
"""Client id, topic, partition."""


class Readers:
    """Remembers where each client reads, and where it stood when a topic was deleted."""

    def __init__(self, case: Case) -> None:
        """Know no reader yet."""
        self._case: Final = case
        self._positions: Final[dict[_Reader, Run]] = {}
        self._left: Final[dict[_Reader, Run]] = {}
        """By reader of a topic that is gone: its last request."""
        self._pending: Final[dict[_Reader, tuple[Run, AuditFinding]]] = {}
        """Findings whose requests may still be refused."""

    def see(self, run: Run) -> None:
        """Go on by one run."""
        if run.kind == "topic_deleted":
            self._deleted(run)
        elif run.topic is None or run.partition is None:
            return
        elif run.api == "Fetch" or run.lane == Lane.READ:
            reader = run.client_id or "", run.topic, run.partition
            if run.kind == "answer":
                self._refused(run, reader)
            else:
                self._asked(run, reader)

    def end(self) -> None:
        """Tell what was not refused."""
        for _, finding in self._pending.values():
            self._case.report(finding)

    def _deleted(self, run: Run) -> None:
        for reader in [each for each in self._positions if each[1] == run.topic]:
            position = self._positions[reader]
            if position.last_seq > run.first_seq:
                self._case.leave_undecided(lane_key(position))
                continue
            self._left[reader] = self._positions.pop(reader)

    def _refused(self, run: Run, reader: _Reader) -> None:
        pending = self._pending.get(reader)
        if pending is None or pending[0].call != run.call or run.error == "NONE":
            return
        del self._pending[reader]
        if run.error != "OFFSET_OUT_OF_RANGE":
            self._left[reader] = pending[0]  # a client asks again by itself, from the same offset

    def _asked(self, run: Run, reader: _Reader) -> None:
        self._positions[reader] = run
        left = self._left.pop(reader, None)
        if left is None:
            return
        offset = first_offset_of(run)
        if 0 < offset == last_offset_of(left):
            self._pending[reader] = run, _told(run, left, offset)


def first_offset_of(run: Run) -> int:
    """Return where a request, or the first of a fold, reads from."""
    if run.lane == Lane.READ:
        return run.base_offset or 0
    return int(json.loads(run.detail or "{}").get("fetch_offset", 0))


def last_offset_of(run: Run) -> int:
    """Return where a request, or the last of a fold, reads from."""
    if run.lane == Lane.READ:
        return run.last_offset or 0
    return first_offset_of(run)


def _told(run: Run, left: Run, offset: int) -> AuditFinding:
    return AuditFinding(
        _RULE.name,
        _RULE.severity,
        f"{place_text(run.place)}: {run.client_id!r} had read up to offset {offset} when the topic "
        f"was deleted, and goes on from there in the new one: what that has before offset {offset} "
        "it never reads",
        _RULE.advice,
        topic=run.topic,
        partition=run.partition,
        first_offset=0,
        last_offset=offset - 1,
        virtual_time_ms=run.first_time_ms,
        evidence=(left.last_seq, run.first_seq),
    )
