"""Checks of recorded events against Kafka's rules: of a journal, a running cluster or topics.

The names here are imported when they are first used, so that a cluster starts without importing the
rules.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mockbroker.audit.finding import Finding, Severity
    from mockbroker.audit.judgement import judge
    from mockbroker.audit.rules.rule_table import RULES
    from mockbroker.audit.runs.journal_runs import journal_runs
    from mockbroker.audit.verdict import Verdict

__all__ = ["RULES", "Finding", "Severity", "Verdict", "journal_runs", "judge"]

_HOMES = {
    "RULES": "mockbroker.audit.rules.rule_table",
    "Finding": "mockbroker.audit.finding",
    "Severity": "mockbroker.audit.finding",
    "Verdict": "mockbroker.audit.verdict",
    "journal_runs": "mockbroker.audit.runs.journal_runs",
    "judge": "mockbroker.audit.judgement",
}


def __getattr__(name: str) -> object:
    """Import a name from the module that defines it (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
