"""Keys that identify records for a test, and records with the same key."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Final, TypeAlias

from mockbroker.audit.finding import BE_IDEMPOTENT, Finding, Severity
from mockbroker.broker.stored_records import StoredRecord

RecordKey: TypeAlias = str | Callable[[StoredRecord], Hashable]
"""`value`, `key`, `header:NAME`, or a function."""

_HEADER: Final = "header:"


def key_function(key: RecordKey) -> Callable[[StoredRecord], Hashable]:
    """Return the function for a key.

    Raises:
        ValueError: it stands for none.

    """
    if not isinstance(key, str):
        return key
    if key == "value":
        return lambda record: record.value
    if key == "key":
        return lambda record: record.key
    if key.startswith(_HEADER) and len(key) > len(_HEADER):
        name = key.removeprefix(_HEADER)
        return lambda record: next((value for each, value in record.headers if each == name), None)
    raise ValueError(f"key={key!r}: allowed are value, key, header:NAME, and functions")


def repeated_keys(records: Iterable[tuple[Hashable, StoredRecord]]) -> list[Finding]:
    """Find keys of several records, each with the positions of its records."""
    found: defaultdict[Hashable, list[StoredRecord]] = defaultdict(list)
    for key, record in records:
        found[key].append(record)
    return [_key_finding(key, alike, later) for key, alike in found.items() for later in alike[1:]]


def _key_finding(key: Hashable, alike: Sequence[StoredRecord], later: StoredRecord) -> Finding:
    first = alike[0]
    return Finding(
        "REPEATED_KEY",
        Severity.ERROR,
        f"{later.topic}-{later.partition}: offset {later.offset} has the key {key!r}, like "
        f"{first.topic}-{first.partition} offset {first.offset}",
        advice=BE_IDEMPOTENT if later.producer_id < 0 else "",
        topic=later.topic,
        partition=later.partition,
        first_offset=later.offset,
    )
