"""Findings about the ids of records."""

from typing import Final

from mockbroker.audit.rules.records.load_findings import Violation, findings_of

LOST: Final = Violation("LOST_ACKED", ("orders", 0, 4), "a", "acknowledged to task 2")


def test_violations_at_consecutive_offsets_are_one_finding() -> None:
    others = [LOST._replace(place=("orders", 0, offset), record_id="b") for offset in (6, 5)]
    (finding,) = findings_of([*others, LOST])
    assert (finding.first_offset, finding.last_offset) == (4, 6)
    assert finding.text == (
        "orders-0: 3 records (offsets 4..6) acknowledged to task 2, but readers do not find them:"
        " the first is 'a'"
    )


def test_violations_of_other_causes_or_places_are_findings_of_their_own() -> None:
    for other in (
        LOST._replace(place=("orders", 0, 6)),
        LOST._replace(place=("orders", 1, 5)),
        LOST._replace(place=("orders", 0, 5), why="acknowledged to task 3"),
    ):
        assert len([*findings_of([LOST, other])]) == 2


def test_a_duplicate_names_where_its_first_copy_is() -> None:
    again = LOST._replace(rule="DUPLICATE_PAYLOAD", why="", first=("orders", 1, 2))
    (finding,) = findings_of([again])
    assert (finding.copied_place, finding.copied_offset) == (("orders", 1), 2)
    assert "is stored again: it is 'a', which is also in orders-1 at offset 2" in finding.text


def test_a_record_whose_offset_is_unknown_has_no_offsets() -> None:
    (finding,) = findings_of([LOST._replace(place=("orders", 0, -1))])
    assert (finding.first_offset, finding.last_offset) == (None, None)
    assert "(offset unknown)" in finding.text
