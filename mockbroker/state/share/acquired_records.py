"""Ranges of records that were acquired together."""

from collections.abc import Iterable
from typing import NamedTuple


class AcquiredRecords(NamedTuple):
    """Consecutive offsets with the same delivery count, as in the response of ShareFetch."""

    first_offset: int
    last_offset: int
    delivery_count: int


def joined(acquired: Iterable[AcquiredRecords]) -> list[AcquiredRecords]:
    """Join neighbours that have the same delivery count."""
    result: list[AcquiredRecords] = []
    for each in acquired:
        last = result[-1] if result else None
        if last is not None and last[1:] == (each.first_offset - 1, each.delivery_count):
            result[-1] = last._replace(last_offset=each.last_offset)
        else:
            result.append(each)
    return result
