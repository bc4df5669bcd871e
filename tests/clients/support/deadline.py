"""Waiting for records without sleeping: a client waits in its poll, up to a time limit."""

import time
from collections.abc import Callable, Iterable
from typing import Final

from tests.clients.support.records import Record

TIMEOUT_S: Final = 30.0
QUERY_TIMEOUT_S: Final = 120
"""The first query of a session of Spark has much to load."""


def collect(
    poll: Callable[[], Iterable[tuple[int, Record]]], count: int, *, timeout_s: float = TIMEOUT_S
) -> dict[int, list[Record]]:
    """Call `poll` until it has given `count` pairs (partition, record); return them by partition.

    Raises: TimeoutError, naming what is missing.
    """
    received: dict[int, list[Record]] = {}
    received_count = 0
    deadline = time.monotonic() + timeout_s
    while received_count < count:
        if time.monotonic() > deadline:
            by_partition = {partition: len(records) for partition, records in received.items()}
            raise TimeoutError(
                f"{received_count} of {count} records in {timeout_s} s: {by_partition}"
            )
        for partition, record in poll():
            received.setdefault(partition, []).append(record)
            received_count += 1
    return received


def collect_values(
    poll: Callable[[], Iterable[str]], last: str, *, timeout_s: float = TIMEOUT_S
) -> list[str]:
    """Call `poll` until it has given the value `last`; return all values.

    Raises: TimeoutError, with what came instead.
    """
    values: list[str] = []
    deadline = time.monotonic() + timeout_s
    while last not in values:
        if time.monotonic() > deadline:
            raise TimeoutError(f"no {last!r} in {timeout_s} s, only {values}")
        values.extend(poll())
    return values


def wait_until(is_so: Callable[[], bool], *, timeout_s: float = TIMEOUT_S) -> None:
    """Ask the broker again and again: each question waits for its answer.

    Raises: TimeoutError when it has not come to be.
    """
    deadline = time.monotonic() + timeout_s
    while not is_so():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {timeout_s} s")
