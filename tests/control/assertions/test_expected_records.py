"""Comparison of visible records with expected ones."""

from mockbroker.broker.stored_records import StoredRecord
from mockbroker.control.assertions.expected_records import (
    as_values,
    missing_findings,
    order_findings,
    surplus_findings,
)


def records(*values: bytes | None) -> list[StoredRecord]:
    return [
        StoredRecord("orders", 0, offset, 0, None, value, (), -1, -1, -1, False)
        for offset, value in enumerate(values)
    ]


def test_texts_are_compared_as_their_bytes() -> None:
    assert as_values(["ä", b"b"]) == ["ä".encode(), b"b"]


def test_missing_records_are_reported_with_the_offsets_that_readers_cannot_see() -> None:
    stored = records(b"a", b"b", b"b")
    aborted, nowhere = missing_findings("orders", [b"a", b"b", b"b", b"c"], stored[:2], stored)
    assert aborted.text == (
        "orders: b'b' was expected 2 times, readers get it 1 times; orders-0 has it at "
        "offset 2, aborted or undecided"
    )
    text = "b'c' was expected, readers get it 0 times, and no log has it below its high watermark"
    assert text in nowhere.text
    (fewer,) = missing_findings("orders", [b"b", b"b"], stored[:2], stored[:2])
    assert "readers get it 1 times, and no log has more below its high" in fewer.text
    assert missing_findings("orders", [b"a", b"b"], stored, stored) == []


def test_a_hidden_record_is_located_where_readers_do_not_get_it() -> None:
    stored = records(b"a", b"a")
    for hidden, visible in ((0, stored[1:]), (1, stored[:1])):
        (finding,) = missing_findings("orders", [b"a", b"a"], visible, stored)
        assert f"orders-0 has it at offset {hidden}, aborted" in finding.text


def test_surplus_and_unexpected_records_are_reported_with_their_offsets() -> None:
    again, other = surplus_findings("orders", [b"a"], records(b"a", b"a", None))
    assert (again.rule, again.first_offset) == ("ONCE_TOO_MANY", 1)
    assert (other.rule, other.first_offset) == ("NOT_EXPECTED", 2)
    assert surplus_findings("orders", [b"a", b"a"], records(b"a")) == []
    (tombstone,) = surplus_findings("orders", [b""], records(None, b""))
    assert (tombstone.rule, tombstone.first_offset) == ("NOT_EXPECTED", 0)


def test_the_first_difference_in_order_is_reported() -> None:
    (other,) = order_findings("orders", [b"a", b"b"], records(b"a", b"c"))
    assert "record 1 is b'c' at offset 1, b'b' was expected" in other.text
    (more,) = order_findings("orders", [b"a"], records(b"a", b"c"))
    assert "nothing more was expected" in more.text
    (fewer,) = order_findings("orders", [b"a", b"b", b"c"], records(b"a"))
    assert "after 1 records 2 more were expected: b'b', ..." in fewer.text
    assert order_findings("orders", [b"a"], records(b"a")) == []
