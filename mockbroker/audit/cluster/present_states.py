"""States of transactional ids that a real cluster told while its topics were read.

The ends of logs were read first, then coordinators were asked, and then the logs were read. So
coordinators must know the transaction of a batch that was there before, and is still open later.
"""

from typing import Final

from mockbroker.audit.coordinated import Coordinated, partitions_of
from mockbroker.audit.runs.run import Run

ASKED: Final = "asked"
"""Kind of a run with the end of a log before coordinators were asked."""
OPEN: Final = "open"
"""Kind of a run with a transaction that a leader knows, and whose first records were deleted."""
PRESENT: Final = "present"
"""Kind of a run with the state of a transactional id."""


class PresentStates:
    """Answers of coordinators, and what was appended after they were asked."""

    def __init__(self) -> None:
        """Start without answers, as journals have none."""
        self._states: Final[dict[int, Coordinated]] = {}
        self._asked_at: Final[dict[tuple[str, int], int]] = {}

    def take(self, run: Run) -> None:
        """Record the state of a transactional id (`PRESENT`)."""
        assert run.producer_id is not None, run
        self._states[run.producer_id] = _state_of(run)

    def asked(self, run: Run) -> None:
        """Record where a log ended before coordinators were asked (`ASKED`)."""
        self._asked_at[run.place] = run.log_end_offset or 0

    def of(self, producer_id: int) -> Coordinated | None:
        """Return the state of the transactional id with a producer id."""
        return self._states.get(producer_id)

    def cover(self, place: tuple[str, int]) -> bool:
        """Return whether coordinators were asked about the transactions in a log."""
        return place in self._asked_at

    def is_later(self, run: Run) -> bool:
        """Return whether a batch or marker may be newer than the answers."""
        asked_at = self._asked_at.get(run.place) if self._asked_at else None
        return asked_at is not None and (run.base_offset or 0) >= asked_at


def _state_of(run: Run) -> Coordinated:
    assert run.transactional_id is not None, run
    return Coordinated(
        run.transactional_id,
        -1 if run.producer_epoch is None else run.producer_epoch,
        run.state_after or "Dead",
        0,
        partitions_of(run),
    )
