"""Judges runs by all rules.

The rules are state machines over runs in order of `seq`; what a machine keeps is a few numbers for
each lane. Where a folded run does not continue its lane regularly, or something else falls between
its edges, nothing is decided: its lane is named in `Verdict.undecided`, and whoever folded reads it
again with its events one by one.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from mockbroker.audit import finding as findings
from mockbroker.audit.case import Case, Machine
from mockbroker.audit.counting import Counting
from mockbroker.audit.rule_table import RULES, AuditRule
from mockbroker.audit.run import Lane, Run, sort_key
from mockbroker.audit.source import A_JOURNAL, THRESHOLDS, Source, Thresholds
from mockbroker.audit.verdict import RuleVerdict, Verdict

_MACHINES: Final[Mapping[Callable[[Case], Machine], frozenset[Lane]]] = {
    Counting: frozenset({Lane.LOG, Lane.PRODUCER, Lane.TRANSACTION}),
}
"""All machines, with the lanes of which they see folded runs. Every one sees the single events."""


def judge(
    runs: Iterable[Run], source: Source = A_JOURNAL, thresholds: Thresholds = THRESHOLDS
) -> Verdict:
    """Judge runs, which may come in any order.

    A verdict that names `undecided` lanes is not final: judge again, with those lanes unfolded.
    """
    case = Case(source, thresholds)
    machines = [(make(case), lanes | {Lane.EVENT}) for make, lanes in _MACHINES.items()]
    sees = {lane: [machine.see for machine, lanes in machines if lane in lanes] for lane in Lane}
    counting = next(each for each, _ in machines if isinstance(each, Counting))
    for run in sorted(runs, key=sort_key):
        for see in sees[Lane(run.lane)]:
            see(run)
    for machine, _ in machines:
        machine.end()
    return Verdict(
        findings=tuple(sorted(set(case.findings), key=findings.sort_key)),
        rules=tuple(_ruled(rule, case) for rule in RULES.values()),
        counts=counting.counts(),
        unknown=tuple(sorted(case.unknown)),
        broken=source.broken,
        undecided=frozenset(case.undecided),
    )


def _ruled(rule: AuditRule, case: Case) -> RuleVerdict:
    missing = sorted(rule.needs - case.source.tells)
    if missing:
        reason = f"{case.source.name} does not tell {' and '.join(missing)}"
        return RuleVerdict(rule.name, is_judged=False, reason=reason)
    count = sum(1 for each in case.findings if each.rule == rule.name)
    return RuleVerdict(rule.name, is_judged=True, findings=count)
