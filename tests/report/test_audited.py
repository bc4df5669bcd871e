"""Exit codes of an audit."""

import pytest

from mockbroker.audit.finding import Finding, Severity
from mockbroker.report.audited import Audited, ExitCode
from tests.support.verdicts import (
    BAD,
    GAP,
    STUCK,
    audited_of,
)


@pytest.mark.parametrize(
    ("findings", "fail_on", "code"),
    [
        ([], Severity.INFO, ExitCode.CLEAN),
        ([STUCK], Severity.INFO, ExitCode.FINDINGS),
        ([STUCK], Severity.WARNING, ExitCode.FINDINGS),
        ([STUCK], Severity.ERROR, ExitCode.CLEAN),
        ([GAP, STUCK], Severity.ERROR, ExitCode.FINDINGS),
    ],
)
def test_findings_fail_from_a_severity_on(
    findings: list[Finding], fail_on: Severity, code: ExitCode
) -> None:
    assert audited_of(*findings, fail_on=fail_on).exit_code() is code


def test_broken_input_comes_first() -> None:
    assert audited_of(GAP, bad=(BAD,)).exit_code() is ExitCode.BROKEN_INPUT
    assert audited_of(bad=(BAD,)).exit_code() is ExitCode.BROKEN_INPUT


def test_an_audit_without_sources_is_not_clean() -> None:
    assert Audited(sources=()).exit_code() is ExitCode.BROKEN_INPUT


def test_findings_are_numbered_source_by_source() -> None:
    (one,) = audited_of(GAP, STUCK).sources
    both = Audited(sources=(one, one)).findings()
    assert [each.number for each in both] == [1, 2, 3, 4]
    assert [each.finding for each in both] == [GAP, STUCK, GAP, STUCK]
    assert {each.source for each in both} == {"out/journal"}
