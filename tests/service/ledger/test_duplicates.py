"""What counts as there twice, and what does not."""

from collections.abc import Mapping

import pytest

from mockbroker.ledger.duplicates import duplicate_findings, repeated_keys, repetitions
from mockbroker.ledger.excerpt import Excerpt
from mockbroker.ledger.row import Answer, Flag, Row
from mockbroker.protocol.errors import ErrorCode
from mockbroker.stored_records import StoredRecord
from tests.service.support.ledger_rows import excerpt, logged, row

A, B = b"a", b"b"
LOST = {"answer": Answer.LOST}
REFUSED = {"error_code": int(ErrorCode.REQUEST_TIMED_OUT)}


def found(
    *rows: Row, contents: Mapping[int, bytes], clients: Mapping[int, str | None] | None = None
) -> list[tuple[tuple[int, int], ...]]:
    return [
        repetition.offsets
        for repetition in repetitions(excerpt(*rows, contents=contents, clients=clients))
    ]


def test_a_retry_on_another_connection_after_a_lost_answer_is_one() -> None:
    first, retry = row(1, 0, **LOST), row(2, 1, connection=2)
    assert found(first, retry, contents={0: A, 1: A}) == [((0, 1),)]
    assert found(first, retry, contents={0: A, 1: B}) == [], "another record"


def test_a_retry_on_the_same_connection_comes_after_an_error() -> None:
    first, retry = row(1, 0, **REFUSED), row(2, 1)
    assert found(first, retry, contents={0: A, 1: A}) == [((0, 1),)]


def test_what_was_on_its_way_behind_it_is_no_retry() -> None:
    first = row(1, 0, answer=Answer.NONE_YET, answered_at=0)
    assert found(first, row(2, 1), contents={0: A, 1: A}) == []


def test_what_an_application_sends_twice_is_no_duplicate() -> None:
    assert found(row(1, 0), row(2, 1, connection=2), contents={0: A, 1: A}) == []


def test_an_answer_that_comes_after_the_retry_is_too_late() -> None:
    first, retry = row(1, 0, answered_at=5), row(3, 1, connection=2)
    assert found(first, retry, contents={0: A, 1: A}) == [((0, 1),)]


def test_another_client_retries_nothing() -> None:
    rows = row(1, 0, **LOST), row(2, 1, connection=2)
    assert found(*rows, contents={0: A, 1: A}, clients={1: "shop", 2: "till"}) == []
    assert found(*rows, contents={0: A, 1: A}, clients={1: "shop", 2: "shop"}) == [((0, 1),)]


def test_nobody_retries_what_he_wanted_no_answer_for() -> None:
    first = row(1, 0, answer=Answer.UNWANTED)
    assert found(first, row(2, 1, connection=2), contents={0: A, 1: A}) == []


def test_the_same_sequence_twice_is_one_even_after_an_acknowledgement() -> None:
    first = row(1, 0, producer_id=7, producer_epoch=0, base_sequence=0)
    other = row(2, 1, producer_id=7, producer_epoch=0, base_sequence=1)
    again = row(3, 2, producer_id=7, producer_epoch=0, base_sequence=0)
    assert found(first, other, again, contents={0: A, 1: B, 2: A}) == [((0, 2),)]
    assert found(first, other, again, contents={0: A, 1: B, 2: B}) == [], "used for another record"
    next_epoch = again._replace(producer_epoch=1)
    assert found(first, other, next_epoch, contents={0: A, 1: B, 2: A}) == []


def test_a_batch_that_was_split_is_found_by_its_records() -> None:
    first = row(1, 0, record_count=2, **LOST)
    halves = row(2, 2, connection=2), row(3, 3, connection=2)
    assert found(first, *halves, contents={0: A, 1: B, 2: A, 3: B}) == [((0, 2),), ((1, 3),)]


def test_equal_records_in_one_batch_are_counted_and_not_multiplied() -> None:
    first = row(1, 0, record_count=2, **LOST)
    retry = row(2, 2, record_count=3, connection=2)
    contents = {0: A, 1: A, 2: A, 3: A, 4: A}
    assert found(first, retry, contents=contents) == [((0, 2), (1, 3))]


def test_a_request_that_was_applied_twice_is_one() -> None:
    first = row(1, 0)
    again = row(1, 1, appended_at=2, flags=Flag.REPEATED)
    rows = excerpt(first._replace(answered_at=3), again, contents={0: A, 1: A})
    (finding,) = duplicate_findings(rows)
    assert "the request was applied twice" in finding.text


def test_what_was_aborted_or_cut_off_is_there_no_more() -> None:
    rows = row(1, 0, **LOST), row(2, 1, connection=2)
    contents = {0: A, 1: A}
    kept = excerpt(*rows, contents=contents)
    assert len(list(repetitions(kept))) == 1
    for gone in (
        excerpt(*rows, contents=contents, batches=[logged(0, "aborted"), logged(1, "committed")]),
        excerpt(*rows, contents=contents, truncations=[(3, 1)]),
        excerpt(*rows, contents={1: A}),
    ):
        assert list(repetitions(gone)) == []


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        (LOST, "the answer of call 1 was lost"),
        (REFUSED, "the answer of call 1 was REQUEST_TIMED_OUT, though it was appended"),
        ({"answer": Answer.NONE_YET, "answered_at": 0}, "no answer of call 1 has come yet"),
        ({"answered_at": 5}, "the answer of call 1 came too late"),
    ],
)
def test_a_finding_says_why_it_came_again(changes: dict[str, int], why: str) -> None:
    first = row(1, 0, record_count=2, **changes)
    retry = row(3, 2, record_count=2, connection=2)
    contents = {0: A, 1: B, 2: A, 3: B}
    (finding,) = duplicate_findings(
        excerpt(first, retry, contents=contents, clients={1: "shop", 2: "shop"})
    )
    assert finding.text == (
        "orders-0: offsets 2..3 are offsets 0..1 again (2 records), from 'shop' in call 3: " + why
    )
    assert (finding.place, finding.note) == (("orders", 0, 2), "DUPLICATE of 0")
    assert "enable.idempotence" in finding.advice


def test_an_idempotent_producer_is_told_otherwise() -> None:
    first = row(1, 0, producer_id=7, producer_epoch=0, base_sequence=0)
    again = first._replace(call_number=2, came_at=2, appended_at=2, answered_at=2, base_offset=1)
    looked: Excerpt = excerpt(first, again, contents={0: A, 1: A})
    (finding,) = duplicate_findings(looked)
    assert "it did not go by the answer of call 1" in finding.text
    assert "enable.idempotence" not in finding.advice


def record(offset: int, partition: int = 0) -> StoredRecord:
    return StoredRecord("orders", partition, offset, 0, None, A, (), -1, -1, -1, False)


def test_by_a_key_records_of_any_partition_are_compared() -> None:
    keyed = [("x", record(0)), ("y", record(1)), ("x", record(5, 1)), ("x", record(6, 1))]
    first, second = repeated_keys(keyed)
    assert first.text == "orders-1: offset 5 has the key 'x', as has orders-0 offset 0"
    assert (second.place, second.note) == (("orders", 1, 6), "DUPLICATE")
    assert repeated_keys(keyed[:2]) == []
