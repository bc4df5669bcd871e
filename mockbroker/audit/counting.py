"""Counts of what an audit has judged."""

from typing import ClassVar, Final

from mockbroker.audit.log_facts import REPEATED, STALE_BATCH, STALE_MARKER
from mockbroker.audit.rule_context import Handlers, RuleContext
from mockbroker.audit.runs.run import Run
from mockbroker.audit.runs.scope import ShardScope
from mockbroker.audit.shards.outcome import ShardOutcome


class BatchCounting:
    """A machine without findings that counts what was appended."""

    scope: ClassVar = ShardScope.PARTITION

    def __init__(self, context: RuleContext) -> None:
        """Start at 0."""
        self._outcome: Final = context.outcome

    def _stored(self, run: Run) -> None:
        """Count a batch or a marker."""
        outcome = self._outcome
        outcome.appends += 1
        outcome.partitions.add(run.place)
        outcome.first_time_ms = min(run.virtual_time_ms, outcome.first_time_ms)
        outcome.last_time_ms = max(run.virtual_time_ms, outcome.last_time_ms)
        self._named(run)

    def _named(self, run: Run) -> None:
        _count_names(self._outcome, run)

    def end(self) -> None:
        """Do nothing."""

    handlers: ClassVar[Handlers] = {
        "append": _stored,
        "marker": _stored,
        STALE_BATCH: _stored,
        STALE_MARKER: _stored,
        REPEATED: _named,
    }


class TransactionCounting:
    """A machine without findings that counts those whose transactions changed."""

    scope: ClassVar = ShardScope.PRODUCER

    def __init__(self, context: RuleContext) -> None:
        """Start at 0."""
        self._outcome: Final = context.outcome

    def _named(self, run: Run) -> None:
        _count_names(self._outcome, run)

    def end(self) -> None:
        """Do nothing."""

    handlers: ClassVar[Handlers] = {
        "transaction": _named,
    }


def _count_names(outcome: ShardOutcome, run: Run) -> None:
    if run.producer_id is not None and run.producer_id >= 0:
        outcome.producers.add(run.producer_id)
    if run.transactional_id is not None:
        outcome.transactional_ids.add(run.transactional_id)
