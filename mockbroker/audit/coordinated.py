"""State of a producer id at its coordinator: its epoch, and its transaction."""

import json
from dataclasses import dataclass, field
from typing import Final

from mockbroker.audit.runs.run import Run

_PREPARED: Final = {"PrepareCommit": "COMMIT", "PrepareAbort": "ABORT"}
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
    is_after_fold: bool = False
    """True if the last transaction is known only as part of a fold."""
    is_decision_folded: bool = False
    """True if the last decision is part of a fold: `decision_seq` is then too late."""

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
            self.decision, self.decision_seq = _PREPARED[after], run.first_seq
            self.is_decision_folded = False
        elif after in _COMPLETE:
            self.decision = _COMPLETE[after]
        self.producer_epoch = max(producer_epoch, self.producer_epoch)
        self.state = after or "Dead"
        self.seq, self.is_after_fold = run.last_seq, False

    def _begin(self, partitions: frozenset[str], run: Run) -> None:
        """Continue the transaction, or begin a new one."""
        if self.state != "Ongoing":
            self.marked.clear()
            self.batch_epoch, self.begun_seq = run.producer_epoch, run.first_seq
        self.partitions = partitions

    def fold(self, run: Run) -> None:
        """Apply a folded run of complete transactions."""
        assert run.last_producer_epoch is not None, run
        self.producer_epoch = run.last_producer_epoch
        self.state = run.state_after or "CompleteCommit"
        self.decision = _COMPLETE.get(self.state, "COMMIT")
        self.decision_seq = self.seq = run.last_seq
        self.is_decision_folded = True
        self.partitions, self.batch_epoch = frozenset(), None
        self.marked.clear()
        self.is_after_fold = True


def partitions_of(run: Run) -> frozenset[str]:
    """Return the partitions that a transition lists, as `topic-partition`."""
    if run.detail is None:
        return frozenset()
    return frozenset(json.loads(run.detail).get("partitions", ()))
