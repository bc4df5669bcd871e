"""Counts of what an audit has judged."""

from typing import ClassVar, Final

from mockbroker.audit.rule_context import RuleContext
from mockbroker.audit.runs.run import Run
from mockbroker.audit.runs.scope import ShardScope


class BatchCounting:
    """A machine without findings that counts what was appended."""

    scope: ClassVar = ShardScope.PARTITION
    kinds: ClassVar = frozenset({"append", "marker"})

    def __init__(self, context: RuleContext) -> None:
        """Start at 0."""
        self._outcome: Final = context.outcome

    def see(self, run: Run) -> None:
        """Count a batch, a marker or a recognised retry."""
        outcome = self._outcome
        if not run.is_duplicate:
            outcome.appends += 1
            outcome.partitions.add(run.place)
            outcome.first_time_ms = min(run.virtual_time_ms, outcome.first_time_ms)
            outcome.last_time_ms = max(run.virtual_time_ms, outcome.last_time_ms)
        if run.producer_id is not None and run.producer_id >= 0:
            outcome.producers.add(run.producer_id)
        if run.transactional_id is not None:
            outcome.transactional_ids.add(run.transactional_id)

    def end(self) -> None:
        """Do nothing."""


class TransactionCounting:
    """A machine without findings that counts those whose transactions changed."""

    scope: ClassVar = ShardScope.PRODUCER
    kinds: ClassVar = frozenset({"transaction"})

    def __init__(self, context: RuleContext) -> None:
        """Start at 0."""
        self._outcome: Final = context.outcome

    def see(self, run: Run) -> None:
        """Count a transition."""
        if run.producer_id is not None and run.producer_id >= 0:
            self._outcome.producers.add(run.producer_id)
        if run.transactional_id is not None:
            self._outcome.transactional_ids.add(run.transactional_id)

    def end(self) -> None:
        """Do nothing."""
