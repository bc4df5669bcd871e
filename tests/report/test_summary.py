"""The verdict on a terminal."""

import pytest

from mockbroker.audit.finding import Finding, Severity
from mockbroker.audit.judgement import judge
from mockbroker.audit.rules.rule_table import RULES, TOPIC
from mockbroker.audit.source import A_JOURNAL, Source
from mockbroker.report.audited import Audited, ExitCode, SourceVerdict
from mockbroker.report.bad_input import BadInput
from mockbroker.report.summary import SHOWN_MAX, headline, summary
from tests.support.verdicts import (
    BAD,
    GAP,
    STUCK,
    audited_of,
)

WHAT_TO_DO = "name what identifies a record, or `off` (--identity)"
_UNJUDGED = f"{sum(not each.needs <= TOPIC for each in RULES.values())} of {len(RULES)} rules"
JUDGED = f"{len(RULES) - 1} of {len(RULES)} rules judged"
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
    assert headline(audited_of(*findings, bad=bad)) == f"{line}. Not judged: DUPLICATE_PAYLOAD"


def with_identity(identity: str | None, source: Source = A_JOURNAL) -> Audited:
    verdict = judge([], source._replace(identity=identity))
    return Audited(sources=(SourceVerdict(source="j", kind="journal", verdict=verdict),))


def test_the_headline_says_that_duplicates_by_identity_are_not_judged() -> None:
    assert headline(with_identity("off")) == "Clean: nothing was found"
    assert headline(with_identity("key")) == "Clean: nothing was found"
    unjudged = with_identity(None)
    assert headline(unjudged) == "Nothing was found. Not judged: duplicates by identity"
    assert not unjudged.is_clean
    assert unjudged.exit_code() is ExitCode.CLEAN


def test_the_headline_counts_the_rules_that_are_not_judged() -> None:
    of_topic = with_identity("key", Source(facts=TOPIC))
    assert headline(of_topic) == f"Clean: nothing was found. Not judged: {_UNJUDGED}"
    line = headline(with_identity(None, Source(facts=TOPIC)))
    assert line.endswith(f"Not judged: duplicates by identity and {_UNJUDGED}")


@pytest.mark.parametrize(
    ("identity", "line"),
    [
        ("off", "duplicates by identity are turned off"),
        ("json:$.id", "duplicates by identity are judged by json:$.id"),
        (None, f"not judged: duplicates by identity: {WHAT_TO_DO}"),
    ],
)
def test_the_summary_says_by_what_records_are_identified(identity: str | None, line: str) -> None:
    assert f"  {line}" in summary(with_identity(identity)).splitlines()


def test_without_judged_sources_the_headline_names_no_rest() -> None:
    assert headline(Audited(sources=(), bad=(BAD,))) == "Broken input: 1 input could not be judged"


def test_a_summary_has_findings_and_unjudged_rules() -> None:
    lines = summary(audited_of(GAP, bad=(BAD,))).splitlines()
    assert lines[1:] == [
        "  out/x: It is gone. Bring it back.",
        "  1. ERROR SEQUENCE_GAP: orders-0: sequences 9 to 11 of producer 100 are missing.",
        f"out/journal: 100 events, 33 batches and markers of {LOGS}; {JUDGED}",
        "  not judged: DUPLICATE_PAYLOAD: a journal has no contents",
        "  duplicates by identity are turned off",
        "  Not closed.",
        "  1 thing unknown: see the report",
    ]


def test_many_findings_are_abbreviated() -> None:
    many = [GAP._replace(severity=Severity.ERROR)] * (SHOWN_MAX + 7)
    assert "  … and 7 more" in summary(audited_of(*many)).splitlines()
