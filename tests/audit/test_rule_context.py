from mockbroker.audit.finding import Finding, Severity
from mockbroker.audit.rule_context import RuleContext
from mockbroker.audit.rules.rule_table import TOPIC, Need
from mockbroker.audit.source import THRESHOLDS, Source

_GAP = Finding("SEQUENCE_GAP", Severity.ERROR, "a gap")
_HANGS = Finding("HANGING_TXN", Severity.ERROR, "hangs")


def test_findings_of_rules_that_cannot_be_judged_are_dropped() -> None:
    context = RuleContext(Source(facts=TOPIC, name="a topic"), THRESHOLDS)
    context.report(_GAP)
    context.report(_HANGS)
    assert context.outcome.findings == [_GAP]
    assert context.has(Need.APPENDS)
    assert not context.has(Need.TRANSITIONS)


def test_an_unknown_fact_is_reported_once() -> None:
    context = RuleContext(Source(), THRESHOLDS)
    context.leave_unknown("a-0 begins later")
    context.leave_unknown("a-0 begins later")
    assert context.outcome.unknown == {"a-0 begins later"}
