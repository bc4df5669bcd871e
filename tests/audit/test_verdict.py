from mockbroker.audit.finding import Finding, Severity
from mockbroker.audit.runs.run import StreamKey
from mockbroker.audit.verdict import Counts, Verdict

_FOUND = Finding("SEQUENCE_GAP", Severity.ERROR, "a gap")
_CLEAN = Verdict((), (), Counts(), identity="off")


def test_a_verdict_is_clean_if_nothing_is_wrong_with_the_input_either() -> None:
    assert _CLEAN.is_clean
    assert _CLEAN._replace(identity="key").is_clean
    assert not _CLEAN._replace(identity=None).is_clean, "duplicates were not judged"
    assert not _CLEAN._replace(findings=(_FOUND,)).is_clean
    assert not _CLEAN._replace(broken=("part-00002 is cut off",)).is_clean
    assert not _CLEAN._replace(undecided=frozenset({StreamKey("log", "a", 0)})).is_clean


def test_a_verdict_has_its_worst_severity() -> None:
    warning = _FOUND._replace(rule="LSO_STUCK", severity=Severity.WARNING)
    verdict = _CLEAN._replace(findings=(_FOUND, warning))
    assert verdict.worst() is Severity.ERROR
    assert _CLEAN.worst() is None
    assert verdict.of_rule("LSO_STUCK") == (warning,)
