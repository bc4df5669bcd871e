"""Counts of the judged events, as a machine beside those of the rules."""

from typing import Final

from mockbroker.audit.rule_context import RuleContext
from mockbroker.audit.runs.run import Run, Stream
from mockbroker.audit.verdict import CountedNames, Counts


class Counting:
    """A machine that counts, and reports no findings."""

    def __init__(self, context: RuleContext) -> None:
        """Start at 0."""
        self._context: Final = context
        self._events = 0
        self._appends = 0
        self._producers: Final[set[int]] = set()
        self._places: Final[set[tuple[str, int]]] = set()
        self._ids: Final[set[str]] = set()
        self._first_ms: int | None = None
        self._last_ms: int | None = None

    def see(self, run: Run) -> None:
        """Count a run."""
        self._events += run.events if run.stream == Stream.EVENT else 0
        is_stored = run.kind in {"append", "marker", "log"} and not run.is_duplicate
        if is_stored and run.stream in {Stream.EVENT, Stream.LOG}:
            self._appends += run.events
            self._places.add(run.place)
            self._count_time(run)
        if run.kind not in {"append", "marker", "transaction", "producer", "log"}:
            return
        if run.producer_id is not None and run.producer_id >= 0:
            self._producers.add(run.producer_id)
        if run.transactional_id is not None:
            self._ids.add(run.transactional_id)

    def _count_time(self, run: Run) -> None:
        first, last = self._first_ms, self._last_ms
        self._first_ms = run.first_time_ms if first is None else min(first, run.first_time_ms)
        self._last_ms = run.last_time_ms if last is None else max(last, run.last_time_ms)

    def end(self) -> None:
        """Do nothing."""

    def counts(self) -> Counts:
        """Return the counts."""
        events = self._context.source.events
        return Counts(
            events=self._events if events is None else events,
            appends=self._appends,
            producers=len(self._producers),
            partitions=len(self._places),
            transactional_ids=len(self._ids),
            first_time_ms=self._first_ms,
            last_time_ms=self._last_ms,
        )

    def names(self) -> CountedNames:
        """Return what was counted."""
        return CountedNames(
            frozenset(self._producers), frozenset(self._places), frozenset(self._ids)
        )
