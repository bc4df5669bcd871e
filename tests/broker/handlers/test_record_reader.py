"""Search for single records inside batches."""

import pytest

from mockbroker.broker.handlers.record_reader import BATCH_END_READER, RECORD_READER
from tests.conformance.batches import GZIP, Item, batch
from tests.support.in_process import NOW_MS

TIMES = (5, 9, 9, 2)


@pytest.fixture(params=[0, GZIP])
def data(request: pytest.FixtureRequest) -> bytes:
    items = [Item(at_ms=NOW_MS + at) for at in TIMES]
    return batch(*items, at_ms=NOW_MS, codec=request.param)


@pytest.mark.parametrize(
    ("since", "start", "found"),
    [(0, 0, (5, 0)), (6, 0, (9, 1)), (6, 2, (9, 2)), (0, 3, (2, 3)), (10, 0, None), (6, 3, None)],
)
def test_the_first_record_that_is_late_enough(
    data: bytes, since: int, start: int, found: tuple[int, int] | None
) -> None:
    expected = None if found is None else (NOW_MS + found[0], found[1])
    assert RECORD_READER.first_record_since(data, NOW_MS + since, start) == expected


def test_the_latest_record_is_the_first_of_the_largest_timestamp(data: bytes) -> None:
    assert RECORD_READER.latest_record(data) == (NOW_MS + 9, 1)


def test_up_to_3_6_the_latest_record_of_a_compressed_batch_is_its_last() -> None:
    items = [Item(at_ms=NOW_MS + at) for at in TIMES]
    plain, compressed = (batch(*items, at_ms=NOW_MS, codec=codec) for codec in (0, GZIP))
    assert BATCH_END_READER.latest_record(plain) == (NOW_MS + 9, 1)
    assert BATCH_END_READER.latest_record(compressed) == (NOW_MS + 9, 3)


def test_a_batch_without_records_has_no_latest_one() -> None:
    empty = batch(at_ms=NOW_MS, wrong={"last_offset_delta": 0})
    assert RECORD_READER.latest_record(empty) is None
