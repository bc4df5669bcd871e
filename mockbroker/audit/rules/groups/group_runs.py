"""Judgement of entries by one machine, as assertions use it."""

from collections.abc import Callable, Iterable
from typing import TypeVar

from mockbroker.audit.finding import Finding, sort_key
from mockbroker.audit.rule_context import Machine, RuleContext, apply
from mockbroker.audit.runs.journal_runs import run_of
from mockbroker.audit.runs.run import RESET, exact_kind
from mockbroker.audit.source import A_JOURNAL, THRESHOLDS
from mockbroker.journal.entry import Entry

M = TypeVar("M", bound=Machine)


def judged(make: Callable[[RuleContext], M], entries: Iterable[Entry]) -> tuple[M, list[Finding]]:
    """Judge entries by one machine, and return it with its findings in order."""
    context = RuleContext(A_JOURNAL, THRESHOLDS)
    machine = make(context)
    for run in map(run_of, entries):
        if exact_kind(run) == RESET:
            machine.end()
            machine = make(context)
        apply(machine, run)
    machine.end()
    return machine, sorted(context.outcome.findings, key=sort_key)
