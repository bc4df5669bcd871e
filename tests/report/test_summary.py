"""The verdict on a terminal."""

import pytest

from mockbroker.audit.finding import Finding, Severity
from mockbroker.report.audited import Audited
from mockbroker.report.bad_input import BadInput
from mockbroker.report.summary import SHOWN_MAX, headline, summary
from tests.support.verdicts import (
    BAD,
    GAP,
    STUCK,
    audited_of,
)

LOGS = "2 partitions and 2 producers"


@pytest.mark.parametrize(
    ("findings", "bad", "line"),
    [
        ((), (), "Clean: nothing was found"),
        ((GAP,), (), "1 finding: 1 ERROR"),
        ((GAP, STUCK, STUCK), (), "3 findings: 1 ERROR, 2 WARNING"),
        ((), (BAD,), "Broken input: 1 input could not be judged; nothing was found in the rest"),
        ((GAP,), (BAD, BAD), "Broken input: 2 inputs could not be judged; in the rest: 1 ERROR"),
    ],
)
def test_the_headline_is_the_verdict(
    findings: tuple[Finding, ...], bad: tuple[BadInput, ...], line: str
) -> None:
    assert headline(audited_of(*findings, bad=bad)) == line


def test_without_judged_sources_the_headline_names_no_rest() -> None:
    assert headline(Audited(sources=(), bad=(BAD,))) == "Broken input: 1 input could not be judged"


def test_a_summary_has_findings_and_unjudged_rules() -> None:
    lines = summary(audited_of(GAP, bad=(BAD,))).splitlines()
    assert lines[1:] == [
        "  out/x: It is gone. Bring it back.",
        "  1. ERROR SEQUENCE_GAP: orders-0: sequences 9 to 11 of producer 100 are missing.",
        f"out/journal: 100 events, 33 batches and markers of {LOGS}; 22 of 23 rules judged",
        "  not judged: DUPLICATE_PAYLOAD: a journal has no contents",
        "  Not closed.",
        "  1 thing unknown: see the report",
    ]


def test_many_findings_are_abbreviated() -> None:
    many = [GAP._replace(severity=Severity.ERROR)] * (SHOWN_MAX + 7)
    assert "  … and 7 more" in summary(audited_of(*many)).splitlines()
