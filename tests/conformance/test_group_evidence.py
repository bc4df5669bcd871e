"""The recorded scripts show the audit all that its rules about groups judge.

That these rules find nothing in them is a part of each replay, in `test_replay.py`.
"""

import pytest

from mockbroker.journal.entry import Entry
from tests.conformance.group_evidence import NEWEST, has_evidence
from tests.conformance.script import scenarios
from tests.conformance.test_replay import replay_with_listeners

KINDS = {"assignment", "acquired", "acknowledged", "lock_expired", "archived", "share_loaded"}


@pytest.mark.slow
def test_recorded_scripts_have_each_kind_of_evidence_about_groups() -> None:
    missing = set(KINDS)
    for scenario in scenarios().values():
        if missing and scenario.applies_to(NEWEST) and has_evidence(scenario, NEWEST):
            journal: list[Entry] = []
            replay_with_listeners(scenario, NEWEST, journal)
            missing -= {each.kind for each in journal}
    assert not missing
