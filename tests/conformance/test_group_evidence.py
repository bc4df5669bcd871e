"""Audit of recorded scripts: no group that behaves as Kafka's did has a finding."""

import pytest

from mockbroker.audit import journal_runs, judge
from mockbroker.journal.entry import Entry
from tests.conformance.releases import RELEASES
from tests.conformance.script import scenarios
from tests.conformance.test_replay import replay_with_listeners

NEWEST = next(each for each in RELEASES if each.label == "4.4.0")
OF_GROUPS = [
    name
    for name, scenario in scenarios().items()
    if scenario.applies_to(NEWEST)
    and any(word in scenario.script.__module__ for word in ("share", "group", "consumer", "walk"))
]
RULES = {"OWNED_TWICE", "DELIVERED_BEYOND_LIMIT", "ACKNOWLEDGED_TWICE"}
KINDS = {"assignment", "acquired", "acknowledged", "lock_expired", "archived", "share_loaded"}


@pytest.mark.slow
def test_recorded_scripts_have_no_findings_about_groups() -> None:
    seen: set[str] = set()
    for name in OF_GROUPS:
        journal: list[Entry] = []
        replay_with_listeners(scenarios()[name], NEWEST, journal)
        findings = judge(journal_runs(journal)).findings
        assert not [each for each in findings if each.rule in RULES], name
        seen.update(each.kind for each in journal)
    assert seen >= KINDS
