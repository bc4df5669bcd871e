"""LSO_STUCK: an open transaction that blocks read_committed consumers for too long."""

from dataclasses import dataclass
from typing import Final

from mockbroker.audit.finding import Finding
from mockbroker.audit.rule_context import RuleContext
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.audit.runs.run import Run, stream_key
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

    def __init__(self, context: RuleContext) -> None:
        """Start without logs."""
        self._context: Final = context
        self._still: Final[dict[tuple[str, int], _Still]] = {}
        self._longest: Final[dict[tuple[str, int], tuple[int, Finding]]] = {}

    def see(self, run: Run) -> None:
        """Apply one run."""
        match run.kind:
            case "append" | "marker" | "log":
                if (
                    run.last_stable_offset is not None
                    and not run.is_duplicate
                    and not self._context.logs.is_stale(run)
                ):
                    self._fold(run) if run.is_folded else self._stored(run)
            case "topic_deleted":
                for place in [each for each in self._still if each[0] == run.topic]:
                    self._moved(place, run.first_seq, run.first_time_ms)
            case "truncation":
                still = self._still.get(run.place)
                if still is None or still.since_seq > run.first_seq:
                    return
                if (run.log_end_offset or 0) <= still.offset:
                    self._moved(run.place, run.first_seq, run.first_time_ms)
            case _:
                pass

    def end(self) -> None:
        """Measure to the end of the evidence, and report the longest time of each log."""
        for place in list(self._still):
            self._moved(place, None, self._context.last_time_ms)
        for _, finding in self._longest.values():
            self._context.report(finding)

    def _stored(self, run: Run) -> None:
        place, offset = run.place, run.last_stable_offset
        assert offset is not None, run
        still = self._still.get(place)
        if still is not None and still.offset != offset:
            self._moved(place, run.first_seq, run.first_time_ms)
            still = None
        if still is None and offset < (run.high_watermark or 0):
            self._still[place] = _Still(offset, run.first_seq, run.first_time_ms)

    def _fold(self, run: Run) -> None:
        """Apply a folded run; request its events if the offset may have been stuck for too long."""
        place, threshold_ms = run.place, self._context.thresholds.stuck_stable_offset_ms
        assert run.last_stable_offset is not None, run
        still = self._still.get(place)
        may_be_long = (run.longest_ms or 0) > threshold_ms
        if still is not None:
            if run.base_stable_offset != still.offset:
                self._moved(place, run.first_seq, run.first_time_ms)
            elif run.last_stable_offset == still.offset:
                return
            else:
                may_be_long |= run.last_time_ms - still.since_ms > threshold_ms
        if may_be_long:
            self._context.leave_undecided(stream_key(run))
        self._still.pop(place, None)
        if run.stuck_since_seq is not None and run.stuck_since_ms is not None:
            self._still[place] = _Still(
                run.last_stable_offset, run.stuck_since_seq, run.stuck_since_ms
            )

    def _moved(self, place: tuple[str, int], seq: int | None, time_ms: int) -> None:
        """Measure the time up to the event that moved the offset, or to the end of the evidence."""
        still = self._still.pop(place)
        duration_ms = time_ms - still.since_ms
        longest_ms = self._longest[place][0] if place in self._longest else 0
        if duration_ms <= max(self._context.thresholds.stuck_stable_offset_ms, longest_ms):
            return
        holder = self._context.holders.get(place, {}).get(still.offset)
        whose = "" if holder is None else f", held by the transaction of {producer_text(holder)}"
        until = "" if seq is not None else ", up to the end of the evidence"
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
                evidence=(still.since_seq,) if seq is None else (still.since_seq, seq),
            ),
        )
