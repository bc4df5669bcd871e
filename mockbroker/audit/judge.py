"""Judges runs by all rules.

The rules are state machines over runs in order of `seq`; what a machine keeps is a few numbers for
each lane. Where a folded run does not continue its lane regularly, or something else falls between
its edges, nothing is decided: its lane is named in `Verdict.undecided`, and whoever folded reads it
again with its events one by one.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from mockbroker.audit.counting import Counting
from mockbroker.audit.finding import AuditFinding
from mockbroker.audit.finding import sort_key as order_of_findings
from mockbroker.audit.folding.interleavings import Interleavings
from mockbroker.audit.rule_context import Case, Machine
from mockbroker.audit.rules.acknowledgement_rules import Acknowledgements
from mockbroker.audit.rules.expiry_rules import Expiries
from mockbroker.audit.rules.fencing_rules import Fencing
from mockbroker.audit.rules.offset_rules import Offsets
from mockbroker.audit.rules.reader_rules import Readers
from mockbroker.audit.rules.retry_rules import Retries
from mockbroker.audit.rules.rule_table import RULES, AuditRule
from mockbroker.audit.rules.sequence_rules import Sequences
from mockbroker.audit.rules.stable_offset_rules import StableOffsets
from mockbroker.audit.rules.transaction_rules import Transactions
from mockbroker.audit.rules.visibility_rules import Visibility
from mockbroker.audit.runs.run import Lane, Run, sort_key
from mockbroker.audit.source import A_JOURNAL, THRESHOLDS, Source, Thresholds
from mockbroker.audit.verdict import RuleVerdict, Verdict

_MACHINES: Final[Mapping[Callable[[Case], Machine], frozenset[Lane]]] = {
    Acknowledgements: frozenset({Lane.LOG, Lane.PRODUCER}),
    Visibility: frozenset({Lane.LOG}),
    Counting: frozenset({Lane.LOG, Lane.PRODUCER, Lane.TRANSACTION}),
    Interleavings: frozenset({Lane.LOG, Lane.PRODUCER, Lane.TRANSACTION}),
    Offsets: frozenset({Lane.LOG}),
    StableOffsets: frozenset({Lane.LOG}),
    Sequences: frozenset({Lane.PRODUCER}),
    Expiries: frozenset(),
    Transactions: frozenset({Lane.PRODUCER, Lane.TRANSACTION}),
    Fencing: frozenset(),
    Retries: frozenset(),
    Readers: frozenset({Lane.READ}),
}
"""All machines, in the order in which they see a run, with the lanes of which they see folds."""
_SAME_BATCH: Final = {"EPOCH_REGRESSION": "ZOMBIE_WRITE_ACCEPTED"}
"""Of two rules that find the same batch, the second says more."""
_TIMED: Final = frozenset({"append", "marker", "transaction", "log", "producer", "clock"})
"""Kinds that no engine leaves out, so that all agree on when the evidence ends."""


def judge(
    runs: Iterable[Run], source: Source = A_JOURNAL, thresholds: Thresholds = THRESHOLDS
) -> Verdict:
    """Judge runs, which may come in any order.

    A verdict that names `undecided` lanes is not final: judge again, with those lanes unfolded.
    """
    case = Case(source, thresholds)
    machines = [(make(case), lanes | {Lane.EVENT}) for make, lanes in _MACHINES.items()]
    sees = {lane: [each.see for each, lanes in machines if lane in lanes] for lane in Lane}
    for run in sorted(runs, key=sort_key):
        if run.kind in _TIMED and run.last_time_ms > case.last_time_ms:
            case.last_time_ms = run.last_time_ms
        truncation = case.logs.see(run)
        if truncation is not None:
            for see in sees[Lane.EVENT]:
                see(truncation)
        for see in sees[Lane(run.lane)]:
            see(run)
    for machine, _ in machines:
        machine.end()
    findings = _reduced(case.findings)
    counting = next(each for each, _ in machines if isinstance(each, Counting))
    return Verdict(
        findings=findings,
        rules=tuple(_ruled(rule, case, findings) for rule in RULES.values()),
        counts=counting.counts(),
        unknown=tuple(sorted(case.unknown)),
        open_transactions=tuple(sorted(case.open_transactions)),
        broken=source.broken,
        undecided=frozenset(case.undecided),
    )


def _reduced(findings: Iterable[AuditFinding]) -> tuple[AuditFinding, ...]:
    """Put findings in order, and leave out those of batches of which another rule says more."""
    found = set(findings)
    told = {(each.rule, _batch_of(each)) for each in found}
    kept = [each for each in found if (_SAME_BATCH.get(each.rule, ""), _batch_of(each)) not in told]
    return tuple(sorted(kept, key=order_of_findings))


def _batch_of(finding: AuditFinding) -> tuple[object, ...]:
    return finding.topic, finding.partition, finding.producer_id, finding.first_offset


def _ruled(rule: AuditRule, case: Case, findings: Sequence[AuditFinding]) -> RuleVerdict:
    missing = sorted(rule.needs - case.source.tells)
    if missing:
        reason = f"{case.source.name} does not tell {' and '.join(missing)}"
        return RuleVerdict(rule.name, is_judged=False, reason=reason)
    count = sum(1 for each in findings if each.rule == rule.name)
    return RuleVerdict(rule.name, is_judged=True, findings=count)
