"""Journals in which a few rows were changed at random, removed or exchanged."""

import random
from collections.abc import Sequence
from typing import Final

from mockbroker.journal.entry import Entry

_NUMBERS: Final = (
    *("virtual_time_ms", "producer_id", "producer_epoch", "base_sequence", "record_count"),
    *("coordinator_epoch", "base_offset", "last_offset", "leader_epoch", "log_start_offset"),
    *("high_watermark", "log_end_offset", "last_stable_offset", "broker", "acks", "call"),
    *("connection", "crc", "partition"),
)
_NEAR: Final = (-3, -2, -1, 1, 2, 3)
_FAR_MS: Final = 2_000_000
_FROM_OTHERS: Final = (
    *("is_transactional", "is_duplicate", "marker", "error", "transactional_id", "client_id"),
    *("kind", "topic", "state_before", "state_after", "detail", "group", "api"),
)
_NEEDED: Final = {"kind", "topic"}


def changed_at_random(entries: Sequence[Entry], draw: random.Random) -> list[Entry]:
    """Return a journal of which one row or two are others."""
    changed = list(entries)
    for _ in range(draw.choice([1, 1, 2])):
        index, how = draw.randrange(len(changed)), draw.random()
        if how < 0.1 and len(changed) > 1:
            del changed[index]
        elif how < 0.2:
            other = draw.randrange(len(changed))
            one, two = changed[index], changed[other]
            changed[index] = two._replace(seq=one.seq)
            changed[other] = one._replace(seq=two.seq)
        else:
            name = draw.choice(_NUMBERS if how < 0.75 else _FROM_OTHERS)
            changed[index] = _changed(changed[index], name, draw.choice(changed), draw)
    return changed


def _changed(entry: Entry, name: str, other: Entry, draw: random.Random) -> Entry:
    value = getattr(entry, name)
    if name in _FROM_OTHERS:
        others = getattr(other, name)
        return entry if others is None and name in _NEEDED else entry._replace(**{name: others})
    if value is None:
        return entry
    is_far = name == "virtual_time_ms" and draw.random() < 0.5
    return entry._replace(**{name: value + (_FAR_MS if is_far else draw.choice(_NEAR))})
