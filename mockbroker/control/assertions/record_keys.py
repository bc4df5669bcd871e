"""Keys that identify records for a test, and records with the same key."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from importlib import import_module
from typing import Any, Final, TypeAlias

from mockbroker.audit.finding import BE_IDEMPOTENT, Finding, Severity
from mockbroker.broker.stored_records import StoredRecord

RecordKey: TypeAlias = str | Callable[[StoredRecord], Hashable]
"""An identity of records, as audits accept it, or a function."""
_IDENTITY: Final = "mockbroker.journal.record_identity"
"""Loaded by name: a start does not wait for it."""


def key_function(key: RecordKey) -> Callable[[StoredRecord], Hashable]:
    """Return the function for a key.

    Raises:
        ValueError: it stands for none.

    """
    if not isinstance(key, str):
        return key
    identities: Any = import_module(_IDENTITY)
    try:
        identity = None if key == identities.OFF else identities.identity_of(key)
    except ValueError:
        identity = None
    if identity is None:
        raise ValueError(f"key={key!r}: allowed are {identities.FORMS}, and functions")
    of: Callable[[StoredRecord], Hashable] = identity.of
    return of


def repeated_keys(key: RecordKey, records: Iterable[StoredRecord]) -> list[Finding]:
    """Find keys of several records of a topic, each with the positions of its records.

    Records without a key are left out, but a topic in which no record has one is a finding.

    Raises:
        ValueError: the key is none.

    """
    keyed = key_function(key)
    found: defaultdict[Hashable, list[StoredRecord]] = defaultdict(list)
    for record in records:
        found[keyed(record)].append(record)
    without = found.pop(None, [])
    if without and not found:
        return [_keyless_finding(key, without)]
    return [_key_finding(key, alike, later) for key, alike in found.items() for later in alike[1:]]


def _keyless_finding(key: RecordKey, without: Sequence[StoredRecord]) -> Finding:
    first = without[0]
    name = key if isinstance(key, str) else "a key"
    return Finding(
        "NO_KEY",
        Severity.ERROR,
        f"{first.topic}: none of its {len(without):,} records has {name}, so none was compared",
        "name what its records have, or leave key out to judge by what producers have sent",
        topic=first.topic,
        partition=first.partition,
        first_offset=first.offset,
    )


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
