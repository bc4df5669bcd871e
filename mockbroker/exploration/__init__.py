"""Exploration: run a program again and again, with another fault at one of its calls each time.

    report = explore(program, topics={"orders": 3})
    report.assert_survived()

`docs/how-to/explore-faults.md` describes it.
"""

from mockbroker.exploration.exploration import explore
from mockbroker.exploration.outcome import ExperimentOutcome
from mockbroker.exploration.report import Report

__all__ = ["ExperimentOutcome", "Report", "explore"]
