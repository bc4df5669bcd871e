from mockbroker.audit.finding import Finding, Severity
from mockbroker.audit.verdict import Counts, Verdict, merged
from tests.support.verdicts import GAP, STUCK, verdict_of

_FOUND = Finding("SEQUENCE_GAP", Severity.ERROR, "a gap")
_CLEAN = Verdict((), (), Counts(), identity="off")


def test_a_verdict_is_clean_if_nothing_is_wrong_with_the_input_either() -> None:
    assert _CLEAN.is_clean
    assert _CLEAN._replace(identity="key").is_clean
    assert not _CLEAN._replace(identity=None).is_clean, "duplicates were not judged"
    assert not _CLEAN._replace(findings=(_FOUND,)).is_clean
    assert not _CLEAN._replace(broken=("part-00002 is cut off",)).is_clean


def test_a_verdict_has_its_worst_severity() -> None:
    warning = _FOUND._replace(rule="LSO_STUCK", severity=Severity.WARNING)
    verdict = _CLEAN._replace(findings=(_FOUND, warning))
    assert verdict.worst() is Severity.ERROR
    assert _CLEAN.worst() is None
    assert verdict.of_rule("LSO_STUCK") == (warning,)


def test_verdicts_of_pieces_are_merged() -> None:
    one, other = verdict_of(STUCK), verdict_of(GAP)
    both = merged([one, other._replace(unknown=("Another.",))])
    assert both.findings == (GAP, STUCK)
    assert {rule.rule: rule.findings for rule in both.rules if rule.findings} == {
        "SEQUENCE_GAP": 1,
        "LSO_STUCK": 1,
    }
    assert both.counts == Counts(
        events=200,
        appends=66,
        producers=2,
        partitions=2,
        first_time_ms=1_900_000_000_000,
        last_time_ms=1_900_000_001_000,
    )
    assert both.unknown == ("A producer began.", "Another.")
    assert merged([one]) is one
