from mockbroker.audit.finding import AuditFinding, Severity
from mockbroker.audit.rule_context import Case
from mockbroker.audit.rules.rule_table import TOPIC, Need
from mockbroker.audit.runs.run import LaneKey
from mockbroker.audit.source import THRESHOLDS, Source

_GAP = AuditFinding("SEQUENCE_GAP", Severity.ERROR, "a gap")
_HANGS = AuditFinding("HANGING_TXN", Severity.ERROR, "hangs")


def test_what_cannot_be_judged_is_not_found() -> None:
    case = Case(Source(tells=TOPIC, name="a topic"), THRESHOLDS)
    case.report(_GAP)
    case.report(_HANGS)
    assert case.findings == [_GAP]
    assert case.tells(Need.APPENDS)
    assert not case.tells(Need.TRANSITIONS)


def test_what_is_unknown_is_told_once() -> None:
    case = Case(Source(), THRESHOLDS)
    case.leave_unknown("a-0 begins later")
    case.leave_unknown("a-0 begins later")
    case.leave_undecided(LaneKey("log", "a", 0))
    assert list(case.unknown) == ["a-0 begins later"]
    assert case.undecided == {LaneKey("log", "a", 0)}
