"""Owners of partitions and tasks, by the entries of a journal."""

import json
from collections.abc import Iterable, Iterator, Sequence

import pytest

from mockbroker.audit import journal_runs, judge
from mockbroker.audit.finding import Finding
from mockbroker.journal.entry import Entry

Owner = tuple[str, int, Sequence[str]]


def assigned(seq: int, *owners: Owner, is_whole: bool = False) -> Iterator[Entry]:
    for member, epoch, partitions in owners:
        detail = {
            "member": member,
            "epoch": epoch,
            "partitions": partitions,
            "is_whole": is_whole,
        }
        yield Entry(seq, "assignment", 0, seq * 10, group="g", detail=json.dumps(detail))


def deleted(seq: int, topic: str) -> Entry:
    return Entry(seq, "topic_deleted", 0, seq * 10, topic=topic)


def found_in(entries: Iterable[Entry]) -> list[Finding]:
    return list(judge(journal_runs(entries)).findings)


def test_a_partition_may_change_its_owner() -> None:
    entries = [
        *assigned(1, ("a", 1, ["orders-0", "orders-1"])),
        *assigned(2, ("a", 2, ["orders-0"])),
        *assigned(3, ("b", 2, ["orders-1"])),
        *assigned(4, ("a", -1, [])),
        *assigned(5, ("b", 3, ["orders-0", "orders-1"])),
    ]
    assert found_in(entries) == []


def test_members_that_change_together_may_exchange_partitions() -> None:
    entries = [
        *assigned(1, ("a", 1, ["orders-0"]), ("b", 1, ["orders-1"])),
        *assigned(2, ("a", 1, ["orders-1"]), ("b", 1, ["orders-0"])),
        *assigned(3, ("c", 2, ["orders-0", "orders-1"]), is_whole=True),
    ]
    assert found_in(entries) == []


def test_two_owners_at_once_are_found_when_it_begins() -> None:
    entries = [
        *assigned(1, ("a", 4, ["orders-0", "orders-1"])),
        *assigned(2, ("b", 5, ["orders-1"])),
        *assigned(3, ("b", 5, ["orders-1"])),
        *assigned(4, ("a", 5, ["orders-0"])),
        *assigned(5, ("c", 6, ["orders-1"])),
    ]
    first, second = found_in(entries)
    assert (first.rule, first.place, first.evidence) == ("OWNED_TWICE", "orders-1", (1, 2))
    assert first.virtual_time_ms == 20
    assert first.text == (
        "orders-1 of group 'g' was owned by 'a' (epoch 4) and 'b' (epoch 5) at once"
    )
    assert second.evidence == (3, 5)


def test_two_members_of_one_generation_are_found() -> None:
    entries = assigned(7, ("a", 1, ["t-0"]), ("b", 1, ["t-0"]), is_whole=True)
    (found,) = found_in(entries)
    assert found.evidence == (7,)


@pytest.mark.parametrize("task", ["0_3", "count-words_3"])
def test_a_task_has_no_place_in_a_topic(task: str) -> None:
    entries = assigned(7, ("a", 1, [task]), ("b", 1, [task]))
    (found,) = found_in(entries)
    assert found.text.startswith(f"{task} of group 'g'")
    assert (found.topic, found.partition) == (None, None)


def test_groups_have_their_own_owners() -> None:
    other = [each._replace(group="h") for each in assigned(2, ("b", 1, ["t-0"]))]
    assert found_in([*assigned(1, ("a", 1, ["t-0"])), *other]) == []


def test_a_reset_cluster_has_no_owners() -> None:
    reset = Entry(2, "event", 0, 20, detail='{"event":"reset"}')
    entries = [*assigned(1, ("a", 1, ["t-0"])), reset, *assigned(3, ("b", 1, ["t-0"]))]
    assert found_in(entries) == []


def test_the_partitions_of_a_deleted_topic_have_no_owner() -> None:
    entries = [
        *assigned(1, ("a", 1, ["orders-0", "orders-eu-0", "order-0", "0_3"])),
        deleted(2, "orders"),
        *assigned(3, ("b", 2, ["orders-0"])),
    ]
    assert found_in(entries) == []
    others = [*entries, *assigned(4, ("c", 2, ["orders-eu-0", "order-0", "0_3"]))]
    assert [each.evidence for each in found_in(others)] == [(1, 4)] * 3
    again = [*entries, *assigned(4, ("a", 3, [])), *assigned(5, ("c", 3, ["orders-0"]))]
    assert [each.evidence for each in found_in(again)] == [(3, 5)]


def test_a_task_is_not_of_a_topic_with_the_name_of_its_subtopology() -> None:
    owned = *assigned(1, ("a", 1, ["count-words_3"])), deleted(2, "count")
    (found,) = found_in([*owned, *assigned(3, ("b", 1, ["count-words_3"]))])
    assert found.evidence == (1, 3)


def test_owners_before_a_deletion_are_judged() -> None:
    entries = [*assigned(1, ("a", 1, ["t-0"]), ("b", 1, ["t-0"])), deleted(2, "t")]
    assert len(found_in(entries)) == 1
