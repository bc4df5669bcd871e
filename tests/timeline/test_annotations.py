"""Labels of findings in the timelines of partitions."""

from mockbroker.audit.finding import Finding, Severity
from mockbroker.timeline.annotations import Annotations, annotations_of, finding_label


def found(rule: str, first_offset: int | None, last_offset: int | None = None) -> Finding:
    return Finding(
        rule,
        Severity.ERROR,
        "",
        topic="orders",
        partition=0,
        first_offset=first_offset,
        last_offset=last_offset,
        copied_offset=3,
    )


def test_the_first_finding_of_an_offset_labels_its_batch() -> None:
    rules = found("ABORTED_VISIBLE", 5), found("ZOMBIE_WRITE_ACCEPTED", 5)
    annotations = annotations_of([*rules, found("LOST_ACKED", 9, 10)])
    assert annotations.found_at("orders", 0, 4, 6) == rules[0]
    assert annotations.found_at("orders", 0, 6, 8) is None
    assert annotations.found_at("orders", 1, 4, 6) is None
    assert [each.first_offset for each in annotations.lost["orders", 0]] == [9]


def test_a_long_run_of_batches_is_searched_by_its_findings() -> None:
    annotations = annotations_of([found("REPEATED_KEY", 900_000), found("REPEATED_KEY", 7)])
    first = annotations.found_at("orders", 0, 0, 999_999)
    assert first is not None
    assert first.first_offset == 7
    assert annotations.found_at("orders", 0, 8, 800_000) is None


def test_findings_without_an_offset_have_no_place() -> None:
    assert annotations_of([found("NOT_ENDED", None)]) == Annotations({}, {})
    assert Annotations({}, {}).found_at("orders", 0, 0, 9) is None


def test_labels_name_the_outcome_and_the_first_copy() -> None:
    assert finding_label(found("ABORTED_VISIBLE", 0), "aborted") == "ABORTED, VISIBLE"
    assert finding_label(found("DUPLICATE_PAYLOAD", 0), "batch") == "DUPLICATE of 3"
    assert finding_label(found("OUT_OF_ORDER", 0), "batch") == "OUT OF ORDER"
