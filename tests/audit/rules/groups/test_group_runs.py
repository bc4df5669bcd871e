"""Judgement of entries by one machine."""

import json

from mockbroker.audit.rules.groups.group_runs import is_reset, judged
from mockbroker.audit.rules.groups.ownership_rules import Ownership
from mockbroker.audit.runs.journal_runs import run_of
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


def test_only_a_reset_begins_anew() -> None:
    for kind, detail, expected in (
        ("event", '{"event":"reset"}', True),
        ("event", '{"event":"crash"}', False),
        ("event", None, False),
        ("group", '{"event":"reset"}', False),
    ):
        assert is_reset(run_of(Entry(1, kind, 0, 0, detail=detail))) is expected
