"""Records that are there twice by a key that the test knows."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence

from mockbroker.broker.stored_records import StoredRecord
from mockbroker.control.assertions.finding import Finding


def repeated_keys(records: Iterable[tuple[Hashable, StoredRecord]]) -> list[Finding]:
    """Find the keys that several records have, each with the places where they are."""
    found: defaultdict[Hashable, list[StoredRecord]] = defaultdict(list)
    for key, record in records:
        found[key].append(record)
    return [_told_of_key(key, alike, later) for key, alike in found.items() for later in alike[1:]]


def _told_of_key(key: Hashable, alike: Sequence[StoredRecord], later: StoredRecord) -> Finding:
    from mockbroker.audit.rules.payload_rules import BE_IDEMPOTENT

    first = alike[0]
    return Finding(
        text=f"{later.topic}-{later.partition}: offset {later.offset} has the key {key!r}, as has "
        f"{first.topic}-{first.partition} offset {first.offset}",
        advice=BE_IDEMPOTENT if later.producer_id < 0 else "",
        topic=later.topic,
        partition=later.partition,
        base_offset=later.offset,
        note="DUPLICATE",
    )
