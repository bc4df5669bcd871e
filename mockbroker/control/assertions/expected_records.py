"""Checks that readable records are those that a test expects: each value once, and no others."""

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Sequence

from mockbroker.audit.finding import Finding, Severity
from mockbroker.broker.stored_records import StoredRecord


def as_values(expected: Iterable[bytes | str]) -> list[bytes]:
    """Return expected values as bytes; texts are encoded in UTF-8."""
    return [each.encode() if isinstance(each, str) else bytes(each) for each in expected]


def missing_findings(
    topic: str,
    expected: Sequence[bytes],
    visible: Sequence[StoredRecord],
    stored: Iterable[StoredRecord],
) -> list[Finding]:
    """Find expected values that are not visible; `stored` locates those that are hidden."""
    shown = {(record.partition, record.offset) for record in visible}
    counted = Counter(record.value for record in visible)
    hidden = defaultdict[bytes | None, list[StoredRecord]](list)
    for record in stored:
        hidden[record.value].append(record)
    return [
        Finding(
            "MISSING",
            Severity.ERROR,
            f"{topic}: {value!r} was expected"
            + (f" {count} times" if count > 1 else "")
            + f", readers get it {counted[value]} times"
            + _where_hidden(hidden[value], shown),
            topic=topic,
            partition=hidden[value][0].partition if hidden[value] else None,
        )
        for value, count in Counter(expected).items()
        if counted[value] < count
    ]


def surplus_findings(
    topic: str, expected: Sequence[bytes], visible: Iterable[StoredRecord]
) -> list[Finding]:
    """Find visible values that are not expected, or are visible too often."""
    left = Counter[bytes | None](expected)
    seen = set(left)
    findings: list[Finding] = []
    for record in visible:
        if left[record.value] > 0:
            left[record.value] -= 1
            continue
        is_again = record.value in seen
        findings.append(
            Finding(
                "ONCE_TOO_MANY" if is_again else "NOT_EXPECTED",
                Severity.ERROR,
                f"{topic}-{record.partition}: {record.value!r} at offset {record.offset} was "
                + ("expected fewer times" if is_again else "not expected"),
                topic=topic,
                partition=record.partition,
                first_offset=record.offset,
            )
        )
    return findings


def order_findings(
    topic: str, expected: Sequence[bytes], visible: Sequence[StoredRecord]
) -> list[Finding]:
    """Find the first difference between the visible and the expected values."""
    for number, record in enumerate(visible):
        value = expected[number] if number < len(expected) else None
        if value is None or record.value != value:
            wanted = "nothing more was" if value is None else f"{value!r} was"
            return [
                Finding(
                    "NOT_EXPECTED",
                    Severity.ERROR,
                    f"{topic}-{record.partition}: record {number} is {record.value!r} at "
                    f"offset {record.offset}, {wanted} expected",
                    topic=topic,
                    partition=record.partition,
                    first_offset=record.offset,
                )
            ]
    missing = expected[len(visible) :]
    if missing:
        count = len(missing)
        text = f"{topic}: after {len(visible)} records {count} more were expected: {missing[0]!r}"
        text += ", ..." if count > 1 else ""
        return [Finding("MISSING", Severity.ERROR, text, topic=topic)]
    return []


def _where_hidden(records: Sequence[StoredRecord], shown: Container[tuple[int, int]]) -> str:
    hidden = [each for each in records if (each.partition, each.offset) not in shown]
    if not hidden:
        return f", and no log has {'more' if records else 'it'} below its high watermark"
    record = hidden[-1]
    return (
        f"; {record.topic}-{record.partition} has it at offset {record.offset}, aborted or "
        "undecided"
    )
