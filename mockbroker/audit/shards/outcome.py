"""Outcome of the judgement of some runs; those of several shards are added up to a verdict."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Final

from mockbroker.audit.causes import by_cause, share_a_row
from mockbroker.audit.finding import Finding
from mockbroker.audit.finding import sort_key as order_of_findings
from mockbroker.audit.log_evidence import Decided, by_producer
from mockbroker.audit.rules.records.loss_rules import LogLosses
from mockbroker.audit.rules.rule_table import RULES, AuditRule
from mockbroker.audit.runs.run import Run
from mockbroker.audit.source import Source
from mockbroker.audit.verdict import CountedNames, Counts, RuleVerdict, Verdict

NO_TIME: Final = 1 << 62
_SAME_BATCH: Final = {"EPOCH_REGRESSION": "ZOMBIE_WRITE_ACCEPTED"}
"""Of two rules with findings for the same batch, the second one is more specific."""
Place = tuple[str, int]


@dataclass(slots=True)
class ShardOutcome:
    """What machines have found."""

    findings: list[Finding] = field(default_factory=list[Finding])
    unknown: set[str] = field(default_factory=set[str])
    """Sentences about facts that the evidence lacks."""
    open_transactions: list[str] = field(default_factory=list[str])
    losses: list[LogLosses] = field(default_factory=list[LogLosses])
    """What is lost if its transactions were committed."""
    decisions: list[Decided] = field(default_factory=list[Decided])
    """Commits and aborts of coordinators."""
    truncations: list[Run] = field(default_factory=list[Run])
    """Of logs; those that the offsets of a new leader show, too."""
    stale: set[tuple[Place, int]] = field(default_factory=set[tuple[Place, int]])
    """Places and numbers of the batches and markers of transactions that are in no log."""
    appends: int = 0
    producers: set[int] = field(default_factory=set[int])
    partitions: set[Place] = field(default_factory=set[Place])
    transactional_ids: set[str] = field(default_factory=set[str])
    first_time_ms: int = NO_TIME
    last_time_ms: int = -NO_TIME

    def add(self, other: "ShardOutcome") -> None:
        """Add the outcome of another shard."""
        self.appends += other.appends
        self.first_time_ms = min(self.first_time_ms, other.first_time_ms)
        self.last_time_ms = max(self.last_time_ms, other.last_time_ms)
        for each in fields(self):
            mine, others = getattr(self, each.name), getattr(other, each.name)
            if isinstance(mine, list):
                mine += others
            elif isinstance(mine, set):
                mine |= others

    def verdict(self, source: Source, events: int) -> Verdict:
        """Return the verdict on evidence with so many events, of which this is all."""
        decisions = by_producer(self.decisions)
        lost = (each for log in self.losses for each in log.findings(decisions))
        judged = (each for each in lost if RULES[each.rule].needs <= source.facts)
        findings = _reduced((*self.findings, *judged))
        is_empty = self.first_time_ms == NO_TIME
        return Verdict(
            findings=findings,
            rules=tuple(_ruled(rule, source, findings) for rule in RULES.values()),
            counts=Counts(
                events=events,
                appends=self.appends,
                producers=len(self.producers),
                partitions=len(self.partitions),
                transactional_ids=len(self.transactional_ids),
                first_time_ms=None if is_empty else self.first_time_ms,
                last_time_ms=None if is_empty else self.last_time_ms,
            ),
            unknown=tuple(sorted(self.unknown)),
            open_transactions=tuple(sorted(self.open_transactions)),
            broken=source.broken,
            names=CountedNames(
                frozenset(self.producers),
                frozenset(self.partitions),
                frozenset(self.transactional_ids),
            ),
            identity=source.identity,
        )


def _reduced(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Sort findings; drop those for whose batch another one is more specific, or is the cause."""
    found = set(findings)
    reported: defaultdict[tuple[object, ...], list[Finding]] = defaultdict(list)
    for each in found:
        reported[each.rule, *_batch_of(each)].append(each)
    kept = [
        each
        for each in found
        if not any(
            share_a_row(each, other)
            for other in reported.get((_SAME_BATCH.get(each.rule), *_batch_of(each)), ())
        )
    ]
    return tuple(sorted(by_cause(kept), key=order_of_findings))


def _batch_of(finding: Finding) -> tuple[object, ...]:
    return finding.topic, finding.partition, finding.producer_id, finding.first_offset


def _ruled(rule: AuditRule, source: Source, findings: Sequence[Finding]) -> RuleVerdict:
    missing = sorted(rule.needs - source.facts)
    if missing:
        reasons = dict(source.reasons)
        told = next((reasons[each] for each in missing if each in reasons), None)
        reason = told or f"{source.name} has no {' and '.join(missing)}"
        return RuleVerdict(rule.name, is_judged=False, reason=reason)
    count = sum(1 for each in findings if each.rule == rule.name)
    followed = sum(1 for each in findings if each.rule != rule.name and rule.name in each.rules)
    return RuleVerdict(rule.name, is_judged=True, findings=count, consequences=followed)
