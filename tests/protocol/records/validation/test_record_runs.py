"""Runs of records of the same layout (their exactness is tested with `survey`)."""

import pytest

from mockbroker.protocol.records.record import Header, Record, encode_record
from mockbroker.protocol.records.validation.record_runs import MIN_RUN, find_run

HEADERS: list[Header] = [("h", b"value"), ("long" * 20, None)]


def encoded(records: list[Record]) -> tuple[bytes, int]:
    """Return the bytes of records, and the start of the second one."""
    parts = [encode_record(record, 0, 0) for record in records]
    return b"".join(parts), len(parts[0])


def alike(count: int, headers: list[Header]) -> list[Record]:
    return [Record(offset=i, timestamp=i % 3, value=b"v", headers=headers) for i in range(count)]


@pytest.mark.parametrize("headers", [[], HEADERS])
def test_a_run_has_its_length_its_end_and_its_deltas(headers: list[Header]) -> None:
    data, stop = encoded(alike(60, headers))
    for _ in range(10):  # by columns first, by a pattern later
        assert find_run(data, 0, stop, len(data), 1) == (59, len(data), 0, 2, True)
        assert find_run(data, 0, stop, len(data), 2) == (59, len(data), 0, 2, False)


@pytest.mark.parametrize("headers", [[], HEADERS])
def test_a_run_ends_with_the_batch(headers: list[Header]) -> None:
    data, stop = encoded(alike(60, headers))
    assert find_run(data, 0, stop, 30 * stop, 1) == (29, 30 * stop, 0, 2, True)


def test_a_few_records_are_no_run() -> None:
    data, stop = encoded(alike(MIN_RUN, []))
    assert find_run(data, 0, stop, len(data), 1) is None
