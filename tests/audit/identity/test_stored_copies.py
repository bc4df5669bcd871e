"""Rows that prove findings by the ids of records."""

import pytest

from mockbroker.audit.finding import Finding, Severity
from mockbroker.audit.identity.stored_copies import (
    Coverage,
    StoredBatch,
    batches_in,
    proved,
    ranges_of,
)
from tests.support.written_journals import produced

TWICE = Finding(
    "DUPLICATE_PAYLOAD", Severity.ERROR, "", topic="orders", partition=0, first_offset=7,
    last_offset=8, copied_offset=2,
)  # fmt: skip
ELSEWHERE = TWICE._replace(copied_topic="billed", copied_partition=1)


def test_both_copies_need_rows() -> None:
    assert ranges_of([TWICE]) == [("orders", 0, 2, 2), ("orders", 0, 7, 8)]
    assert ranges_of([ELSEWHERE]) == [("billed", 1, 2, 2), ("orders", 0, 7, 8)]
    assert ranges_of([TWICE._replace(copied_offset=None)]) == [("orders", 0, 7, 8)]
    assert ranges_of([TWICE._replace(evidence=(1,)), TWICE._replace(topic=None)]) == []


@pytest.mark.parametrize(
    ("offsets", "has"),
    [((0, 1), False), ((0, 2), True), ((3, 6), False), ((5, 7), True), ((8, 9), True),
     ((9, 11), False), ((0, 99), True)],
)  # fmt: skip
def test_batches_are_chosen_by_their_offsets(offsets: tuple[int, int], has: bool) -> None:
    coverage = Coverage(ranges_of([TWICE]))
    assert coverage.has("orders", 0, *offsets) is has
    assert not coverage.has("orders", 1, *offsets)


def test_a_finding_is_proved_by_the_batches_of_both_copies() -> None:
    batches = [
        StoredBatch(4, "orders", 0, 0, 3, 104),
        StoredBatch(5, "orders", 0, 4, 6, 105),
        StoredBatch(6, "orders", 0, 7, 7, 106),
        StoredBatch(7, "orders", 0, 8, 9, 107),
        StoredBatch(8, "billed", 1, 2, 2, 108),
    ]
    assert [each.evidence for each in proved([TWICE], batches)] == [(4, 6, 7)]
    assert [each.evidence for each in proved([ELSEWHERE], batches)] == [(6, 7, 8)]
    assert [each.virtual_time_ms for each in proved([TWICE], batches)] == [106]
    known = TWICE._replace(evidence=(1,))
    assert proved([known], batches) == (known,)


def test_what_was_stored_again_at_the_offset_of_a_truncated_batch_is_the_proof() -> None:
    batches = [StoredBatch(seq, "orders", 0, 7, 8, 100 + seq) for seq in (9, 3, 5)]
    assert [each.evidence for each in proved([TWICE], batches)] == [(9,)]


def test_the_batches_of_a_journal_are_its_appends() -> None:
    entries = list(produced(3))
    appends = [each for each in entries if each.kind == "append"]
    assert [each.seq for each in batches_in(entries)] == [each.seq for each in appends]
    assert list(batches_in([each._replace(is_duplicate=True) for each in entries])) == []


def test_a_finding_names_the_two_producers_of_its_copies() -> None:
    first = StoredBatch(4, "orders", 0, 0, 3, 100, 5, 0, "a")
    other = StoredBatch(6, "orders", 0, 7, 8, 200, 9, 1, "b")
    (finding,) = proved([TWICE], [first, other])
    assert finding.text == (
        "; producer 5 epoch 0 (client 'a') wrote the first copy, and producer 9 epoch 1 (client"
        " 'b') this one"
    )
    assert (finding.producer_id, finding.producer_epoch) == (9, 1)
    for same in (
        (first, other._replace(producer_id=5, producer_epoch=0)),
        (first._replace(producer_id=-1), other._replace(producer_id=-1, client_id="a")),
        (first,),
    ):
        (finding,) = proved([TWICE], same)
        assert (finding.text, finding.producer_id) == ("", None)


def test_producers_without_ids_are_known_by_their_clients() -> None:
    first = StoredBatch(4, "orders", 0, 0, 3, 100, -1, -1, "a")
    other = StoredBatch(6, "orders", 0, 7, 8, 200, -1, -1)
    (finding,) = proved([TWICE], [first, other])
    assert finding.text == (
        "; a producer without an id (client 'a') wrote the first copy, and a producer without an id"
        " this one"
    )
