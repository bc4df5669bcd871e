"""Judgement of entries by one machine, as assertions use it."""

from collections.abc import Callable, Iterable
from typing import Final

from mockbroker.audit.finding import Finding, sort_key
from mockbroker.audit.rule_context import Machine, RuleContext
from mockbroker.audit.runs.journal_runs import run_of
from mockbroker.audit.runs.run import Run
from mockbroker.audit.source import A_JOURNAL, THRESHOLDS
from mockbroker.journal.entry import Entry

_RESET: Final = '{"event":"reset"'


def is_reset(run: Run) -> bool:
    """Return whether the cluster began anew, without any group."""
    return run.kind == "event" and (run.detail or "").startswith(_RESET)


def group_findings(
    make: Callable[[RuleContext], Machine], entries: Iterable[Entry]
) -> list[Finding]:
    """Judge entries by one machine, and return its findings in order."""
    context = RuleContext(A_JOURNAL, THRESHOLDS)
    machine = make(context)
    for entry in entries:
        machine.see(run_of(entry))
    machine.end()
    return sorted(context.findings, key=sort_key)
