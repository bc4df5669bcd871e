"""Repetition of a failure: it is deterministic if all runs fail, else flaky."""

from collections.abc import Iterable
from typing import Final, NamedTuple


class RepeatedRuns(NamedTuple):
    """The runs of what has failed once."""

    failed_runs: int
    runs: int

    @property
    def is_flaky(self) -> bool:
        """True if it failed in some of its runs only."""
        return 0 < self.failed_runs < self.runs

    def and_again(self, failed: Iterable[bool]) -> "RepeatedRuns":
        """Return the repetition with more runs, each of which has failed or not."""
        more = list(failed)
        return RepeatedRuns(self.failed_runs + sum(more), self.runs + len(more))

    def __str__(self) -> str:
        """Say in how many runs it failed."""
        return f"in {self.failed_runs} of {self.runs} runs"


ONCE: Final = RepeatedRuns(1, 1)
"""One run, which failed."""
