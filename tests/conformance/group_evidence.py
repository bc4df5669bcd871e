"""Findings about groups in the journal of a replay: groups that behave as Kafka's have none."""

from typing import Final

from mockbroker.audit import Finding, journal_runs, judge
from mockbroker.journal.entry import Entry
from tests.conformance.releases import RELEASES, Release
from tests.conformance.script import Scenario

NEWEST: Final = next(each for each in RELEASES if each.label == "4.4.0")
_RULES: Final = {"OWNED_TWICE", "DELIVERED_BEYOND_LIMIT", "ACKNOWLEDGED_TWICE"}
"""Rules about brokers. Scripts break those about applications: they commit any offset."""
_WORDS: Final = ("share", "group", "consumer", "walk")


def has_evidence(scenario: Scenario, release: Release) -> bool:
    """Return whether the replay of a script keeps a journal, for what it says about groups."""
    return release is NEWEST and any(word in scenario.script.__module__ for word in _WORDS)


def findings_about_groups(journal: list[Entry]) -> list[Finding]:
    """Judge a journal by the rules about groups."""
    return [each for each in judge(journal_runs(journal)).findings if each.rule in _RULES]
