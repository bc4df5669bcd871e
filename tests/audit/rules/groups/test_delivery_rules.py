"""Deliveries of share groups, by the entries of a journal."""

import json
from typing import Any

from mockbroker.audit import journal_runs, judge
from mockbroker.audit.finding import Finding
from mockbroker.journal.entry import Entry

LIMIT = 2


class Story:
    """The entries of the group `g` in `t-0`, one after the other."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def add(
        self, kind: str, first: int | None = None, last: int | None = None, **detail: Any
    ) -> "Story":
        seq = len(self.entries) + 1
        self.entries.append(
            Entry(
                seq, kind, 0, seq * 10, group="g", topic="t", partition=0,
                base_offset=first, last_offset=last, detail=json.dumps(detail),
            )
        )  # fmt: skip
        return self

    def take(
        self, first: int, last: int, count: int = 1, member: str = "a", limit: int = LIMIT
    ) -> "Story":
        return self.add("acquired", first, last, member=member, delivery_count=count, limit=limit)

    def say(
        self, first: int, last: int, kind: str, member: str = "a", limit: int = LIMIT
    ) -> "Story":
        return self.add("acknowledged", first, last, member=member, type=kind, limit=limit)

    def expire(
        self, first: int, last: int, *, is_stored: bool = True, limit: int = LIMIT
    ) -> "Story":
        detail = {"is_stored": is_stored, "delivery_count": 1, "limit": limit}
        return self.add("lock_expired", first, last, **detail)

    def load(self) -> "Story":
        return self.add("share_loaded", 0, state_epoch=1)

    @property
    def findings(self) -> list[Finding]:
        return list(judge(journal_runs(self.entries)).findings)


def test_each_record_is_delivered_and_accepted() -> None:
    story = Story().load().take(0, 9).say(0, 4, "accept").say(5, 9, "release")
    story.take(5, 9, 2, "b").say(5, 9, "accept", "b")
    assert story.findings == []


def test_a_delivery_after_an_acknowledgement_is_found() -> None:
    story = Story().take(0, 9).say(0, 4, "accept").say(5, 9, "reject").take(3, 6, 2, "b")
    first, second = story.findings
    assert (first.rule, first.first_offset, first.last_offset) == ("ACKNOWLEDGED_TWICE", 3, 4)
    assert first.evidence == (2, 4)
    assert first.virtual_time_ms == 40
    assert first.text == (
        "t-0: offsets 3 to 4 were delivered to 'b' after 'a' had accepted it (group 'g')"
    )
    assert second.text.startswith(
        "t-0: offsets 5 to 6 were delivered to 'b' after 'a' had rejected"
    )


def test_a_second_acknowledgement_is_found() -> None:
    story = Story().take(0, 0).say(0, 0, "accept").say(0, 0, "accept", "b")
    (found,) = story.findings
    assert found.text == "t-0: offset 0 was accepted by 'b' after 'a' had accepted it (group 'g')"
    assert found.evidence == (2, 3)


def test_a_delivery_and_its_acknowledgement_are_one_finding() -> None:
    story = Story().take(0, 0).say(0, 0, "accept").take(0, 0, 2).say(0, 0, "accept")
    assert len(story.findings) == 1


def test_released_and_expired_records_may_be_delivered_again() -> None:
    story = Story().take(0, 1).say(0, 0, "release").expire(1, 1).take(0, 1, 2).say(0, 1, "accept")
    assert story.findings == []


def test_a_renewal_ends_nothing() -> None:
    assert Story().take(0, 0).say(0, 0, "renew").say(0, 0, "accept").findings == []


def test_a_delivery_beyond_the_limit_is_found_once() -> None:
    story = Story().take(0, 3).expire(0, 3).take(0, 3, 2).expire(0, 3)
    story.take(1, 1, 3, "b").expire(1, 1).take(1, 1, 4)
    (found,) = story.findings
    assert (found.rule, found.first_offset, found.evidence) == ("DELIVERED_BEYOND_LIMIT", 1, (3, 5))
    assert found.text == (
        "t-0: offset 1 was delivered 3 times, at last to 'b': the limit is 2 (group 'g')"
    )


def test_a_broker_that_does_not_count_is_found() -> None:
    story = Story().take(0, 0).expire(0, 0).take(0, 0).expire(0, 0).take(0, 0)
    assert [each.rule for each in story.findings] == ["DELIVERED_BEYOND_LIMIT"]


def test_a_lowered_limit_allows_one_more_delivery() -> None:
    story = Story().take(0, 0, limit=5).expire(0, 0, limit=5).take(0, 0, 2, limit=5)
    story.expire(0, 0, limit=5).take(0, 0, 3, limit=1)
    assert story.findings == []
    story.expire(0, 0, limit=1).take(0, 0, 4, limit=1)
    assert len(story.findings) == 1


def test_deliveries_that_were_not_stored_are_not_counted_by_a_new_leader() -> None:
    story = Story().take(0, 0).expire(0, 0).take(0, 0, 2).load().take(0, 0, 2)
    assert story.findings == []
    story.expire(0, 0, is_stored=False).load().take(0, 0, 2).expire(0, 0)
    assert story.findings == []
    assert len(story.take(0, 0, 3).findings) == 1


def test_a_new_leader_knows_what_was_stored() -> None:
    story = Story().take(0, 0).expire(0, 0).take(0, 0, 2).expire(0, 0).load()
    assert [each.rule for each in story.take(0, 0, 1).findings] == ["DELIVERED_BEYOND_LIMIT"]


def test_an_acknowledgement_is_known_to_a_new_leader() -> None:
    story = Story().take(0, 0).say(0, 0, "accept").load().take(0, 0)
    assert [each.rule for each in story.findings] == ["ACKNOWLEDGED_TWICE"]


def test_deliveries_before_the_journal_are_unknown() -> None:
    assert Story().take(0, 0, 7).findings == []
    assert Story().take(0, 0, 2).load().take(0, 0).expire(0, 0).take(0, 0, 2).findings == []
    assert Story().say(0, 0, "accept").findings == []


def test_an_acknowledgement_before_which_nothing_is_known_counts() -> None:
    story = Story().say(0, 0, "accept").load().take(0, 0)
    assert [each.rule for each in story.findings] == ["ACKNOWLEDGED_TWICE"]


def test_a_reset_group_reads_again() -> None:
    story = Story().take(0, 3).say(0, 3, "accept").add("share_reset", 0, state_epoch=4).load()
    assert story.take(0, 3).findings == []


def test_other_records_may_have_the_offsets_of_lost_ones() -> None:
    story = Story().take(0, 3).say(0, 3, "accept")
    cut = Entry(9, "truncation", 0, 90, topic="t", partition=0, log_end_offset=2)
    again = Story().take(2, 3, 1).entries[0]._replace(seq=10)
    assert list(judge(journal_runs([*story.entries, cut, again])).findings) == []
    lost = again._replace(base_offset=1)
    assert len(judge(journal_runs([*story.entries, cut, lost])).findings) == 1


def test_a_recreated_topic_and_a_reset_cluster_have_other_records() -> None:
    story = Story().take(0, 3).say(0, 3, "accept")
    again = Story().take(0, 3).entries[0]._replace(seq=10)
    deleted = Entry(9, "topic_deleted", 0, 90, topic="t")
    reset = Entry(9, "event", 0, 90, detail='{"event":"reset"}')
    for each in (deleted, reset):
        assert list(judge(journal_runs([*story.entries, each, again])).findings) == []


def test_groups_and_partitions_are_apart() -> None:
    story = Story().take(0, 3).say(0, 3, "accept")
    again = Story().take(0, 3).entries[0]._replace(seq=10)
    for other in (again._replace(group="h"), again._replace(partition=1)):
        assert list(judge(journal_runs([*story.entries, other])).findings) == []
