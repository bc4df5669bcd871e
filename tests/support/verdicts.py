"""Verdicts with given findings, for tests of reports."""

from mockbroker.audit.finding import Finding, Severity
from mockbroker.audit.rules.rule_table import RULES
from mockbroker.audit.verdict import CountedNames, Counts, RuleVerdict, Verdict
from mockbroker.report.audited import Audited, SourceVerdict
from mockbroker.report.bad_input import BadInput

GAP = Finding(
    rule="SEQUENCE_GAP",
    severity=Severity.ERROR,
    text="orders-0: sequences 9 to 11 of producer 100 are missing.",
    advice="Look at what the client was told.",
    topic="orders",
    partition=0,
    producer_id=100,
    producer_epoch=0,
    first_offset=9,
    last_offset=11,
    virtual_time_ms=1_900_000_000_008,
    evidence=(14, 26),
)
STUCK = Finding(
    rule="LSO_STUCK",
    severity=Severity.WARNING,
    text="orders-1: <b>stuck</b> & stays.",
    topic="orders",
)
BAD = BadInput(where="out/x", what="It is gone.", advice="Bring it back.")


def verdict_of(*findings: Finding) -> Verdict:
    """Return a verdict on 100 events without contents of records."""
    rules = tuple(
        RuleVerdict(
            rule=rule,
            is_judged=rule != "DUPLICATE_PAYLOAD",
            reason="a journal has no contents" if rule == "DUPLICATE_PAYLOAD" else "",
            findings=sum(each.rule == rule for each in findings),
        )
        for rule in RULES
    )
    counts = Counts(
        events=100,
        appends=33,
        producers=2,
        partitions=2,
        first_time_ms=1_900_000_000_000,
        last_time_ms=1_900_000_001_000,
    )
    names = CountedNames(frozenset({100, 101}), frozenset({("orders", 0), ("orders", 1)}))
    return Verdict(
        findings=findings,
        rules=rules,
        counts=counts,
        unknown=("A producer began.",),
        names=names,
        identity="off",
    )


def audited_of(
    *findings: Finding, bad: tuple[BadInput, ...] = (), fail_on: Severity = Severity.INFO
) -> Audited:
    """Return an audit of one journal."""
    source = SourceVerdict(
        source="out/journal", kind="journal", verdict=verdict_of(*findings), notes=("Not closed.",)
    )
    return Audited(sources=(source,), bad=bad, fail_on=fail_on)
