"""Folds that others lie between: what happened in the middle of one is not known.

Pieces of a journal follow one another, and so do the folds of a lane. Where somebody dealt rows out
to files in another way, they do not, and the lane has to be read event by event.
"""

from typing import Final

from mockbroker.audit.rule_context import Case
from mockbroker.audit.runs.run import (
    Lane,
    LaneKey,
    Run,
    lane_key,
)


class Interleavings:
    """A machine that finds nothing, and asks for lanes whose folds are not one behind the other."""

    def __init__(self, case: Case) -> None:
        """Know no fold yet."""
        self._case: Final = case
        self._reach: Final[dict[LaneKey, int]] = {}
        """Up to which event the folds of each lane go."""

    def see(self, run: Run) -> None:
        """Compare a run with the folds of its lanes."""
        for lane in (lane_key(run),) if run.is_folded else _lanes_of(run):
            reach = self._reach.get(lane, -1)
            if run.first_seq <= reach:
                self._case.leave_undecided(lane)
            if run.is_folded:
                self._reach[lane] = max(reach, run.last_seq)

    def end(self) -> None:
        """Do nothing."""


def _lanes_of(run: Run) -> tuple[LaneKey, ...]:
    """Name the lanes that a single event would be folded in."""
    of_transaction = LaneKey(Lane.TRANSACTION, producer_id=run.producer_id)
    match run.kind:
        case "append" if not run.is_duplicate:
            log = LaneKey(Lane.LOG, run.topic, run.partition)
            producer = LaneKey(Lane.PRODUCER, run.topic, run.partition, run.producer_id)
            return (log, producer, of_transaction) if run.is_transactional else (log, producer)
        case "marker":
            return LaneKey(Lane.LOG, run.topic, run.partition), of_transaction
        case "transaction":
            return (of_transaction,)
        case _:
            return ()
