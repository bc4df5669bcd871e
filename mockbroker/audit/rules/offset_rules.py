"""OFFSET_GAP_UNEXPLAINED: in a log, each batch begins at the end of the previous one."""

from typing import ClassVar, Final

from mockbroker.audit.finding import Finding
from mockbroker.audit.rule_context import Handlers, RuleContext
from mockbroker.audit.rules.rule_table import RULES, Need
from mockbroker.audit.runs.run import Run
from mockbroker.audit.runs.scope import ShardScope
from mockbroker.audit.words import place_text

_RULE: Final = RULES["OFFSET_GAP_UNEXPLAINED"]


class Offsets:
    """Tracks the end of each log."""

    scope: ClassVar = ShardScope.PARTITION

    def __init__(self, context: RuleContext) -> None:
        """Start without logs."""
        self._context: Final = context
        self._last: Final[dict[tuple[str, int], Run]] = {}
        self._ends: Final[dict[tuple[str, int], int]] = {}

    def _deleted(self, run: Run) -> None:
        for place in [each for each in self._last if each[0] == run.topic]:
            del self._last[place], self._ends[place]

    def end(self) -> None:
        """Do nothing: records that are missing at the end leave no gap."""

    def _truncated(self, run: Run) -> None:
        assert run.log_end_offset is not None, run
        if run.place in self._last:
            self._ends[run.place] = min(self._ends[run.place], run.log_end_offset)

    def _stored(self, run: Run) -> None:
        place = run.place
        assert run.last_offset is not None, run
        before, expected = self._last.get(place), self._ends.get(place)
        if before is not None and expected is not None and run.base_offset != expected:
            self._object(run, before, expected)
        self._last[place], self._ends[place] = run, run.last_offset + 1

    def _is_known(self, run: Run, before: Run) -> bool:
        """Return whether a batch before a gap certainly was in the log.

        If the evidence begins later than an election, an isolated leader that it had replaced may
        have appended the batch alone.
        """
        context, leader_epoch = self._context, before.leader_epoch or 0
        if (run.leader_epoch or 0) <= leader_epoch or not context.has(Need.ANSWERS):
            return True
        return context.logs.has_elections(run.place, leader_epoch)

    def _object(self, run: Run, before: Run, expected: int) -> None:
        base = run.base_offset
        assert base is not None, run
        is_compacted = run.topic in self._context.source.compacted
        if base > expected and (is_compacted or not self._is_known(run, before)):
            return
        what = f"offsets {expected} to {base - 1} are missing"
        if base < expected:
            what = f"offsets from {base} on are used again"
        self._context.report(
            Finding(
                _RULE.name,
                _RULE.severity,
                f"{place_text(run.place)}: the log ended at {expected}, and the next batch is at "
                f"offset {base}: {what}, without an explanation in the evidence",
                _RULE.advice,
                topic=run.topic,
                partition=run.partition,
                first_offset=min(base, expected),
                last_offset=max(base, expected) - 1,
                virtual_time_ms=run.virtual_time_ms,
                evidence=(before.seq, run.seq),
            )
        )

    handlers: ClassVar[Handlers] = {
        "append": _stored,
        "marker": _stored,
        "truncation": _truncated,
        "topic_deleted": _deleted,
    }
