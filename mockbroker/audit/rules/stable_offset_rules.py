"""LSO_STUCK: an open transaction that blocks read_committed consumers for too long."""

from dataclasses import dataclass
from typing import ClassVar, Final

from mockbroker.audit.finding import Finding
from mockbroker.audit.rule_context import Handlers, RuleContext
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.audit.runs.run import Run
from mockbroker.audit.runs.scope import ShardScope
from mockbroker.audit.words import duration_text, place_text, producer_text

_RULE: Final = RULES["LSO_STUCK"]


@dataclass(frozen=True, slots=True)
class _Still:
    """A last stable offset that does not move, below the high watermark."""

    offset: int
    since_seq: int
    since_ms: int


class StableOffsets:
    """Measures for each log how long its last stable offset does not move."""

    scope: ClassVar = ShardScope.PARTITION

    def __init__(self, context: RuleContext) -> None:
        """Start without logs."""
        self._context: Final = context
        self._open: Final[dict[tuple[str, int], dict[int | None, Run]]] = {}
        """The first batch of each open transaction, by place and producer id."""
        self._still: Final[dict[tuple[str, int], _Still]] = {}
        self._longest: Final[dict[tuple[str, int], tuple[int, Finding]]] = {}

    def end(self) -> None:
        """Measure to the end of the evidence, and report the longest time of each log."""
        for place in list(self._still):
            self._moved(place, None, self._context.last_time_ms)
        for _, finding in self._longest.values():
            self._context.report(finding)

    def _append(self, run: Run) -> None:
        self._measure(run)
        if run.is_transactional:
            self._open.setdefault(run.place, {}).setdefault(run.producer_id, run)

    def _marker(self, run: Run) -> None:
        self._measure(run)
        self._forget(run)

    def _forget(self, run: Run) -> None:
        self._open.get(run.place, {}).pop(run.producer_id, None)

    def _deleted(self, run: Run) -> None:
        for place in [each for each in self._still if each[0] == run.topic]:
            self._moved(place, run.seq, run.virtual_time_ms)
        for place in [each for each in self._open if each[0] == run.topic]:
            del self._open[place]

    def _measure(self, run: Run) -> None:
        place, offset = run.place, run.last_stable_offset
        if offset is None:
            return
        still = self._still.get(place)
        if still is not None and still.offset != offset:
            self._moved(place, run.seq, run.virtual_time_ms)
            still = None
        if still is None and offset < (run.high_watermark or 0):
            self._still[place] = _Still(offset, run.seq, run.virtual_time_ms)

    def _truncated(self, run: Run) -> None:
        place, end = run.place, run.log_end_offset or 0
        still = self._still.get(place)
        if still is not None and end <= still.offset:
            self._moved(place, run.seq, run.virtual_time_ms)
        opened = self._open.get(place, {})
        for producer_id in [each for each in opened if (opened[each].base_offset or 0) >= end]:
            del opened[producer_id]

    def _moved(self, place: tuple[str, int], seq: int | None, time_ms: int) -> None:
        """Measure the time up to the event that moved the offset, or to the end of the evidence."""
        still = self._still.pop(place)
        duration_ms = time_ms - still.since_ms
        longest_ms = self._longest[place][0] if place in self._longest else 0
        if duration_ms <= max(self._context.thresholds.stuck_stable_offset_ms, longest_ms):
            return
        opened = self._open.get(place, {}).values()
        holder = next((each for each in opened if each.base_offset == still.offset), None)
        whose = "" if holder is None else f", held by the transaction of {producer_text(holder)}"
        until = "" if seq is not None else ", up to the end of the evidence"
        rows = (None if holder is None else holder.seq, still.since_seq, seq)
        self._longest[place] = (
            duration_ms,
            Finding(
                _RULE.name,
                _RULE.severity,
                f"{place_text(place)}: the last stable offset stayed at {still.offset} for "
                f"{duration_text(duration_ms)}{whose}{until}: read_committed readers could not "
                "read past it",
                _RULE.advice,
                topic=place[0],
                partition=place[1],
                producer_id=None if holder is None else holder.producer_id,
                producer_epoch=None if holder is None else holder.producer_epoch,
                first_offset=still.offset,
                last_offset=still.offset,
                virtual_time_ms=still.since_ms,
                evidence=tuple(sorted({each for each in rows if each is not None})),
            ),
        )

    handlers: ClassVar[Handlers] = {
        "append": _append,
        "marker": _marker,
        "truncation": _truncated,
        "topic_deleted": _deleted,
        "producer_expired": _forget,
    }
