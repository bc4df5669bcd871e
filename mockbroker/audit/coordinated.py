"""State of a producer id at its coordinator: its epoch, and its transaction."""

import json
from dataclasses import dataclass, field
from typing import ClassVar, Final, NamedTuple

from mockbroker.audit.log_evidence import Decided
from mockbroker.audit.rule_context import Handlers, RuleContext
from mockbroker.audit.runs.run import Run
from mockbroker.audit.runs.scope import ShardScope

_PREPARED: Final = {"PrepareCommit": "COMMIT", "PrepareAbort": "ABORT"}
_DECISIONS: Final = {"PrepareCommit": True, "PrepareAbort": False, "PrepareEpochFence": False}
_COMPLETE: Final = {"CompleteCommit": "COMMIT", "CompleteAbort": "ABORT"}


@dataclass(slots=True)
class Coordinated:
    """A producer id of a transactional id, as its coordinator knows it."""

    transactional_id: str
    producer_epoch: int
    """The newest assigned epoch."""
    state: str
    seq: int
    """The `seq` of the last transition."""
    partitions: frozenset[str] = frozenset()
    """The transaction that is open or prepared, or else the last one."""
    batch_epoch: int | None = None
    """The epoch of that transaction's batches; None if the evidence begins later."""
    begun_seq: int | None = None
    """The `seq` of the transition that began that transaction, while it is ongoing."""
    marked: dict[str, Run] = field(default_factory=dict[str, Run])
    """The markers of that transaction, by partition."""
    decision: str | None = None
    """`COMMIT` or `ABORT`: the outcome of that transaction, or of the last one."""
    decision_seq: int = 0
    fence: Run | None = None
    """The transition that assigned the newest epoch to another producer."""
    fence_epoch: int = -1
    """… and that epoch: producers with lower ones are fenced."""
    may_be_lost: bool = False
    """True if the log of the coordinators was truncated after the last transition."""

    @property
    def is_at_rest(self) -> bool:
        """True if there is no transaction."""
        return self.state not in _PREPARED and self.state != "Ongoing"

    def is_in_transaction(self, place: str, producer_epoch: int) -> bool:
        """Return whether a batch of an epoch belongs to a transaction that is not complete."""
        if self.is_at_rest or place not in self.partitions or place in self.marked:
            return False
        return self.batch_epoch in {None, producer_epoch}

    def expects(self, place: str) -> str | None:
        """Return the marker that a partition is to get, or may get again; None for none."""
        is_over = self.state in _PREPARED or self.state in _COMPLETE
        return self.decision if is_over and place in self.partitions else None

    def change(self, run: Run) -> None:
        """Apply a transition."""
        producer_epoch, after = run.producer_epoch, run.state_after
        assert producer_epoch is not None, run
        partitions = partitions_of(run)
        if producer_epoch > self.producer_epoch and run.api != "EndTxn":
            self.fence, self.fence_epoch = run, producer_epoch
        if after == "Ongoing":
            self._begin(partitions, run)
        elif after in _PREPARED:
            self.partitions = partitions or self.partitions
            self.decision, self.decision_seq = _PREPARED[after], run.seq
        elif after in _COMPLETE:
            self.decision = _COMPLETE[after]
        self.producer_epoch = max(producer_epoch, self.producer_epoch)
        self.state = after or "Dead"
        self.seq = run.seq
        self.may_be_lost = False

    def _begin(self, partitions: frozenset[str], run: Run) -> None:
        """Continue the transaction, or begin a new one."""
        if self.state != "Ongoing":
            self.marked.clear()
            self.batch_epoch, self.begun_seq = run.producer_epoch, run.seq
        self.partitions = partitions


def partitions_of(run: Run) -> frozenset[str]:
    """Return the partitions that a transition lists, as `topic-partition`."""
    if run.detail is None:
        return frozenset()
    return frozenset(json.loads(run.detail).get("partitions", ()))


class _Assigned(NamedTuple):
    """What a transactional id had before a transition."""

    producer_id: int
    producer_epoch: int


class Decisions:
    """A machine without findings: rules about lost records need its result."""

    scope: ClassVar = ShardScope.PRODUCER

    def __init__(self, context: RuleContext) -> None:
        """Start without transactional ids."""
        self._outcome: Final = context.outcome
        self._producers: Final[dict[str, _Assigned]] = {}

    def _transition(self, run: Run) -> None:
        """Record decisions, with the epoch that the producer had before them."""
        if run.transactional_id is None or run.producer_id is None or run.producer_epoch is None:
            return
        has = _Assigned(run.producer_id, run.producer_epoch)
        had = self._producers.get(run.transactional_id, has)
        self._producers[run.transactional_id] = has
        is_commit = _DECISIONS.get(run.state_after or "")
        if is_commit is not None and run.state_before not in _DECISIONS:
            self._outcome.decisions.append(Decided(run.seq, *had, is_commit))

    def end(self) -> None:
        """Do nothing."""

    handlers: ClassVar[Handlers] = {
        "transaction": _transition,
    }
