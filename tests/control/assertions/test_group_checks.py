"""Checks of groups, on the entries of a journal."""

import json
from typing import Any

import pytest

from mockbroker.control.assertions.group_checks import ownership_findings
from mockbroker.journal.entry import Entry


def assigned(seq: int, **detail: Any) -> Entry:
    whole = json.dumps({"is_whole": False, "epoch": 1, **detail})
    return Entry(seq, "assignment", 0, seq * 10, group="g", detail=whole)


def unread(_: object) -> list[int]:
    return []


def test_a_group_without_owners_is_an_error() -> None:
    other = Entry(1, "group", 0, 0, group="g")
    with pytest.raises(LookupError, match="no member of a group 'g' was assigned partitions"):
        ownership_findings([other], "g", unread)
    with pytest.raises(LookupError, match="group 'h'"):
        ownership_findings([assigned(1, member="a", partitions=[])], "h", unread)


def test_the_entries_of_a_group_are_judged_by_the_rule_of_the_audit() -> None:
    entries = [
        assigned(1, member="a", partitions=["orders-1"]),
        assigned(2, member="b", partitions=["orders-1"]),
    ]
    (found,) = ownership_findings(entries, "g", unread)
    assert (found.rule, found.place, found.evidence) == ("OWNED_TWICE", "orders-1", (1, 2))


def test_a_partition_of_a_deleted_topic_is_not_that_of_the_new_one() -> None:
    entries = [
        assigned(1, member="a", partitions=["orders-1"]),
        Entry(2, "topic_deleted", 0, 20, topic="orders"),
        assigned(3, member="b", partitions=["orders-1"]),
    ]
    assert ownership_findings(entries, "g", unread) == []
    with pytest.raises(LookupError, match="no member of a group 'g' was assigned partitions"):
        ownership_findings(entries[1:2], "g", unread)
