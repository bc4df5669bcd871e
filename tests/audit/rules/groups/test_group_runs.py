"""Judgement of entries by one machine."""

import json

from mockbroker.audit.rules.groups.group_runs import judged
from mockbroker.audit.rules.groups.ownership_rules import Ownership
from mockbroker.journal.entry import Entry


def test_findings_are_in_the_order_of_an_audit() -> None:
    entries = [
        Entry(
            seq, "assignment", 0, 0, group="g",
            detail=json.dumps(
                {"member": member, "epoch": 1, "partitions": ["t-1", "t-0"], "is_whole": False}
            ),
        )
        for seq, member in enumerate("ab", 1)
    ]  # fmt: skip
    assert [each.partition for each in judged(Ownership, entries)[1]] == [0, 1]
