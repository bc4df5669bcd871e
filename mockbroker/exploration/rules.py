"""Rules of an exploration: what must hold after each run, and how much is tried."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final

from mockbroker.control.assertion_table import AssertionRow, find_assertion
from mockbroker.control.cluster_handle import ClusterHandle
from mockbroker.exploration.programs import name_of
from mockbroker.settings.duration import Duration, milliseconds

MILLISECONDS: Final = 1000
ASSERTIONS: Final = ("exactly-once", "no-hanging-transactions")
"""What must hold after each run, unless others are given."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Rules:
    """What must hold after each run."""

    assertions: Sequence[str] = ASSERTIONS
    """Assertions of a cluster, by name."""
    same_topics: Sequence[str] = ()
    """Topics whose committed records must be those of the run without faults, in any order."""
    same_result: Callable[[ClusterHandle], object] | None = None
    """Reads something from a cluster, which must be what it is after the run without faults."""
    tolerated: Sequence[str] = ()
    """Failures that the program may have, as texts with `*` and `?`."""
    timeout: Duration | None = None
    """Time for a run; by default 20 times that of the run without faults, and at least 10 s."""
    repeats: int = 2
    """How often a failed experiment is run again, to tell flaky failures."""
    only: Sequence[str] = ()
    """Names of the experiments to run, as texts with `*` and `?`; empty for all."""
    rows: Sequence[AssertionRow] = field(init=False)
    timeout_s: float | None = field(init=False)

    def __post_init__(self) -> None:
        """Find the assertions.

        Raises:
            ValueError: there is no such assertion or duration, or an assertion needs arguments.

        """
        timeout_s = None if self.timeout is None else milliseconds(self.timeout) / MILLISECONDS
        object.__setattr__(self, "timeout_s", timeout_s)
        rows = [find_assertion(name) for name in self.assertions]
        for row in rows:
            row.refuse_wrong({})
        object.__setattr__(self, "rows", rows)

    def as_json(self) -> dict[str, Any]:
        """Return what the outcome of an experiment follows from."""
        return {
            "assertions": list(self.assertions),
            "same_topics": list(self.same_topics),
            "same_result": None if self.same_result is None else name_of(self.same_result),
            "tolerated": list(self.tolerated),
            "timeout_s": self.timeout_s,
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Effort:
    """How much an exploration tries, and where it keeps what it has done."""

    budget: Duration = "10m"
    """Time for experiments with one fault."""
    pairs: Duration | None = None
    """Time for experiments with two faults, after all with one; None for none."""
    seed: int = 0
    """Decides the order among experiments of the same rank."""
    jobs: int = 1
    """Number of runs at the same time."""
    folder: str | Path | None = None
    """Folder in which the done experiments are kept; None to keep none."""
    resumes: bool = False
    """True to use what the folder has."""
    shows_progress: bool = False
    budget_s: float = field(init=False)
    pairs_s: float = field(init=False)

    def __post_init__(self) -> None:
        """Read the durations.

        Raises:
            ValueError: a duration is none, there are no jobs, or no folder to go on from.

        """
        if self.jobs < 1:
            raise ValueError(f"jobs={self.jobs}: at least 1 run takes place at a time")
        if self.resumes and self.folder is None:
            raise ValueError("resume=True needs the folder of the exploration: output")
        object.__setattr__(self, "budget_s", milliseconds(self.budget) / MILLISECONDS)
        pairs_s = 0.0 if self.pairs is None else milliseconds(self.pairs) / MILLISECONDS
        object.__setattr__(self, "pairs_s", pairs_s)


RULES: Final = tuple(each.name for each in fields(Rules) if each.init)
"""Names of the rules, as arguments of `explore`."""
