"""Judgement of runs by all rules.

The rules are state machines over runs in order of `seq`; a machine stores a few numbers per stream.
If a folded run does not continue its stream regularly, or another event lies between its edges,
nothing is decided: `Verdict.undecided` names the stream, and it has to be read again event by
event.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from mockbroker.audit.causes import by_cause
from mockbroker.audit.counting import Counting
from mockbroker.audit.finding import Finding
from mockbroker.audit.finding import sort_key as order_of_findings
from mockbroker.audit.folding.interleavings import Interleavings
from mockbroker.audit.log_facts import discarding
from mockbroker.audit.rule_context import Machine, RuleContext
from mockbroker.audit.rules.acknowledgement_rules import Acknowledgements
from mockbroker.audit.rules.applications.commit_rules import Commits
from mockbroker.audit.rules.applications.dirty_read_rules import DirtyReads
from mockbroker.audit.rules.applications.order_rules import Order
from mockbroker.audit.rules.applications.outside_commit_rules import OutsideCommits
from mockbroker.audit.rules.applications.unread_rules import UnreadCommits
from mockbroker.audit.rules.ending_rules import Endings, Expiries
from mockbroker.audit.rules.fencing_rules import Fencing
from mockbroker.audit.rules.groups.delivery_rules import Deliveries
from mockbroker.audit.rules.groups.ownership_rules import Ownership
from mockbroker.audit.rules.offset_rules import Offsets
from mockbroker.audit.rules.reader_rules import Readers
from mockbroker.audit.rules.retry_rules import Retries
from mockbroker.audit.rules.rule_table import RULES, AuditRule
from mockbroker.audit.rules.sequence_rules import Sequences
from mockbroker.audit.rules.stable_offset_rules import StableOffsets
from mockbroker.audit.rules.transaction_rules import TransactionRules
from mockbroker.audit.rules.visibility_rules import Visibility
from mockbroker.audit.runs.run import Run, Stream, sort_key
from mockbroker.audit.source import A_JOURNAL, THRESHOLDS, Source, Thresholds
from mockbroker.audit.verdict import RuleVerdict, Verdict

_MACHINES: Final[Mapping[Callable[[RuleContext], Machine], frozenset[Stream]]] = {
    Acknowledgements: frozenset({Stream.LOG, Stream.PRODUCER}),
    Visibility: frozenset({Stream.LOG}),
    Counting: frozenset({Stream.LOG, Stream.PRODUCER, Stream.TRANSACTION}),
    Interleavings: frozenset({Stream.LOG, Stream.PRODUCER, Stream.TRANSACTION}),
    Offsets: frozenset({Stream.LOG}),
    StableOffsets: frozenset({Stream.LOG}),
    Sequences: frozenset({Stream.PRODUCER}),
    Expiries: frozenset(),
    Endings: frozenset(),
    TransactionRules: frozenset({Stream.PRODUCER, Stream.TRANSACTION}),
    Fencing: frozenset(),
    Retries: frozenset(),
    Readers: frozenset({Stream.READ}),
    Ownership: frozenset(),
    Deliveries: frozenset(),
    Commits: frozenset(),
    DirtyReads: frozenset({Stream.LOG}),
    OutsideCommits: frozenset(),
    UnreadCommits: frozenset({Stream.LOG}),
    Order: frozenset({Stream.LOG}),
}
"""All machines, in the order in which they see a run, with the streams whose folds they see."""
_SAME_BATCH: Final = {"EPOCH_REGRESSION": "ZOMBIE_WRITE_ACCEPTED"}
"""Of two rules with findings for the same batch, the second one is more specific."""
_TIMED: Final = frozenset({"append", "marker", "transaction", "log", "producer", "clock"})
"""Kinds that no engine filters out, so that all agree on the end of the evidence."""


def judge(
    runs: Iterable[Run], source: Source = A_JOURNAL, thresholds: Thresholds = THRESHOLDS
) -> Verdict:
    """Judge runs, which may be in any order.

    A verdict with `undecided` streams is not final: judge again, without folding those streams.
    """
    context = RuleContext(source, thresholds)
    machines = [(make(context), streams | {Stream.EVENT}) for make, streams in _MACHINES.items()]
    sees = {
        stream: [each.see for each, streams in machines if stream in streams] for stream in Stream
    }
    for row in sorted(runs, key=sort_key):
        run = discarding(row)
        if run.kind in _TIMED and run.last_time_ms > context.last_time_ms:
            context.last_time_ms = run.last_time_ms
        truncation = context.logs.see(run)
        if truncation is not None:
            for see in sees[Stream.EVENT]:
                see(truncation)
        for see in sees[Stream(run.stream)]:
            see(run)
    for machine, _ in machines:
        machine.end()
    findings = _reduced(context.findings)
    counting = next(each for each, _ in machines if isinstance(each, Counting))
    return Verdict(
        findings=findings,
        rules=tuple(_ruled(rule, context, findings) for rule in RULES.values()),
        counts=counting.counts(),
        unknown=tuple(sorted(context.unknown)),
        open_transactions=tuple(sorted(context.open_transactions)),
        broken=source.broken,
        undecided=frozenset(context.undecided),
        names=counting.names(),
        identity=source.identity,
    )


def _reduced(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort findings; drop those for whose batch another one is more specific, or is the cause."""
    found = set(findings)
    reported = {(each.rule, _batch_of(each)) for each in found}
    kept = [
        each for each in found if (_SAME_BATCH.get(each.rule, ""), _batch_of(each)) not in reported
    ]
    return tuple(sorted(by_cause(kept), key=order_of_findings))


def _batch_of(finding: Finding) -> tuple[object, ...]:
    return finding.topic, finding.partition, finding.producer_id, finding.first_offset


def _ruled(rule: AuditRule, context: RuleContext, findings: Sequence[Finding]) -> RuleVerdict:
    missing = sorted(rule.needs - context.source.facts)
    if missing:
        reasons = dict(context.source.reasons)
        told = next((reasons[each] for each in missing if each in reasons), None)
        reason = told or f"{context.source.name} has no {' and '.join(missing)}"
        return RuleVerdict(rule.name, is_judged=False, reason=reason)
    count = sum(1 for each in findings if each.rule == rule.name)
    followed = sum(1 for each in findings if each.rule != rule.name and rule.name in each.rules)
    return RuleVerdict(rule.name, is_judged=True, findings=count, consequences=followed)
