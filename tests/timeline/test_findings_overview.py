"""Layout of an overview: rows, columns and marks."""

from mockbroker.audit.finding import Finding, Severity
from mockbroker.timeline.findings_overview import (
    COLUMNS,
    NO_TIME,
    ROWS_MAX,
    FindingsOverview,
    NumberedFinding,
    findings_overview,
)

LOST = Finding("LOST_ACKED", Severity.ERROR, "lost", topic="orders", partition=0)
STUCK = Finding("LSO_STUCK", Severity.WARNING, "stuck", topic="orders", partition=1)


def overview(*findings: Finding, pictures: tuple[int, ...] = ()) -> FindingsOverview:
    return findings_overview(
        [NumberedFinding(at, each, at in pictures) for at, each in enumerate(findings, 1)]
    )


def test_findings_at_one_place_and_time_are_one_mark() -> None:
    found = overview(
        STUCK._replace(partition=0, virtual_time_ms=0),
        LOST._replace(virtual_time_ms=1),
        LOST._replace(virtual_time_ms=1000),
        pictures=(2,),
    )
    assert found.rows == ("orders-0",)
    first, last = found.marks
    assert (first.column, first.severity, first.numbers) == (0, Severity.ERROR, (2, 1))
    assert first.text == "1 LSO_STUCK, 1 LOST_ACKED"
    assert (last.column, last.numbers) == (COLUMNS - 1, (3,))
    assert (found.first_time_ms, found.last_time_ms, found.has_timeless) == (0, 1000, False)


def test_findings_without_a_partition_or_a_time_have_a_row_and_a_column() -> None:
    found = overview(LOST._replace(topic=None, partition=None), STUCK._replace(partition=None))
    assert found.rows == ("no partition", "orders")
    assert [(mark.row, mark.column) for mark in found.marks] == [(0, NO_TIME), (1, NO_TIME)]
    assert (found.first_time_ms, found.has_timeless) == (None, True)


def test_many_partitions_are_bands_of_one_topic_each() -> None:
    found = overview(
        *(LOST._replace(partition=number) for number in range(150)),
        *(LOST._replace(topic="payments", partition=number) for number in range(3)),
    )
    assert len(found.rows) <= ROWS_MAX
    assert found.rows[0] == "orders-0 … 3"
    assert found.rows[-1] == "payments-0 … 2"
    assert sum(len(mark.numbers) for mark in found.marks) == 153


def test_many_topics_share_bands() -> None:
    topics = [f"topic-{number:03}" for number in range(90)]
    found = overview(*(LOST._replace(topic=topic) for topic in topics))
    assert len(found.rows) <= ROWS_MAX
    assert found.rows[0] == "topic-000-0 … topic-002-0"


def test_a_mark_names_the_most_frequent_rules() -> None:
    (mark,) = overview(*(LOST._replace(rule=rule) for rule in "AABBCCD")).marks
    assert mark.text == "2 A, 2 B, 2 C and 1 other rules"
