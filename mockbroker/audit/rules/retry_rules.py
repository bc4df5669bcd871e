"""RETRY_STORM: a batch that a client sends again and again without success."""

from dataclasses import dataclass, field
from typing import ClassVar, Final, TypeAlias

from mockbroker.audit.finding import Finding
from mockbroker.audit.log_facts import REPEATED
from mockbroker.audit.rule_context import Handlers, RuleContext
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.audit.runs.run import NO_SEQUENCE, Run
from mockbroker.audit.runs.scope import ShardScope
from mockbroker.audit.words import producer_text

_RULE: Final = RULES["RETRY_STORM"]
_Batch: TypeAlias = tuple[str, int, int, int | None, int]


@dataclass(slots=True)
class _Tries:
    """Number of requests with a batch that was not appended."""

    first: Run
    last: Run
    count: int = 0
    calls: set[int] = field(default_factory=set[int])
    """The requests that are counted: one may be both repeated and refused."""


class Retries:
    """Counts for each batch the requests that were retries, refused, or left without a response."""

    scope: ClassVar = ShardScope.PARTITION

    def __init__(self, context: RuleContext) -> None:
        """Start at 0."""
        self._context: Final = context
        self._tries: Final[dict[_Batch, _Tries]] = {}

    def _answered(self, run: Run) -> None:
        if run.error != "NONE":
            self._count(run)

    def _count(self, run: Run) -> None:
        if run.topic is None or run.partition is None or run.producer_id is None:
            return
        sequence = NO_SEQUENCE if run.base_sequence is None else run.base_sequence
        if run.producer_id < 0 or sequence == NO_SEQUENCE:
            return
        batch = run.topic, run.partition, run.producer_id, run.producer_epoch, sequence
        tries = self._tries.setdefault(batch, _Tries(run, run))
        tries.last = run
        if run.call is None or run.call not in tries.calls:
            tries.count += 1
            tries.calls |= set() if run.call is None else {run.call}

    def end(self) -> None:
        """Report the batches with too many tries."""
        for tries in self._tries.values():
            if tries.count >= self._context.thresholds.retries:
                self._context.report(_finding(tries))

    handlers: ClassVar[Handlers] = {
        REPEATED: _count,
        "answer Produce": _answered,
        "lost Produce": _answered,
    }


def _finding(tries: _Tries) -> Finding:
    first, last = tries.first, tries.last
    return _RULE.finding_at(
        first,
        f"the batch of {producer_text(first)} from sequence "
        f"{first.base_sequence} on was sent {tries.count} times without being appended",
        first.base_offset,
        first.last_offset,
        (first.seq, last.seq),
    )
