"""Surveys by plan return the same as a full survey, or fall back to one."""

import sys
from random import Random

import pytest

from mockbroker.protocol.records.record import Header, Record, encode_record
from mockbroker.protocol.records.validation import survey_plan
from mockbroker.protocol.records.validation.survey import SurveyError, survey_records
from mockbroker.protocol.records.validation.survey_plan import RECORDS, SurveyPlans
from mockbroker.protocol.records.varint import VarintError

ROUNDS = 400
MIN_RECORDS = RECORDS.start
BASE_TIMESTAMP = 1_000


def encoded(
    random: Random,
    count: int,
    *,
    value_bytes: int = 50,
    key: bytes | None = None,
    late_ms: int = 0,
    headers: tuple[Header, ...] = (),
) -> bytes:
    """Encode records of one size with random values and timestamps."""
    return b"".join(
        encode_record(
            Record(
                offset=index,
                timestamp=BASE_TIMESTAMP + random.randint(0, late_ms),
                key=key,
                value=random.randbytes(value_bytes),
                headers=headers,
            ),
            0,
            BASE_TIMESTAMP,
        )
        for index in range(count)
    )


def found(plans: SurveyPlans, data: bytes, count: int) -> tuple[int, int] | type[Exception]:
    """Survey with plans, in the middle of other bytes."""
    try:
        return plans.survey(b"??" + data + b"??", 2, 2 + len(data), count)
    except (SurveyError, VarintError, IndexError) as error:
        return type(error)


def surveyed(data: bytes, count: int) -> tuple[int, int] | type[Exception]:
    try:
        return survey_records(data, 0, len(data), count)[:2]
    except (SurveyError, VarintError, IndexError) as error:
        return type(error)


@pytest.fixture
def surveys(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count the full surveys."""
    counts: list[int] = []

    def counted(data: bytes, pos: int, end: int, count: int) -> tuple[int, int, bool, bool]:
        counts.append(count)
        return survey_records(data, pos, end, count)

    monkeypatch.setattr(survey_plan, "survey_records", counted)
    return counts


@pytest.mark.parametrize("late_ms", [0, 5, 63])
@pytest.mark.parametrize("key", [None, b"key"])
@pytest.mark.parametrize("headers", [(), (("h", b"v"),)])
@pytest.mark.parametrize("count", [MIN_RECORDS, 64, 160])
def test_batches_of_one_layout_are_surveyed_twice_and_then_compared(
    surveys: list[int], late_ms: int, key: bytes | None, headers: tuple[Header, ...], count: int
) -> None:
    random = Random(1)
    plans = SurveyPlans()
    for _ in range(6):
        data = encoded(random, count, key=key, late_ms=late_ms, headers=headers)
        assert found(plans, data, count) == surveyed(data, count)
    assert len(surveys) == 2


@pytest.mark.parametrize(
    ("count", "late_ms"),
    [(MIN_RECORDS - 1, 0), (RECORDS.stop, 0), (100, 64), (100, 9_000)],
    ids=str,
)
def test_few_and_many_records_and_long_timestamps_are_surveyed_each_time(
    surveys: list[int], count: int, late_ms: int
) -> None:
    random = Random(2)
    plans = SurveyPlans()
    for _ in range(6):
        data = encoded(random, count, late_ms=late_ms)
        assert found(plans, data, count) == surveyed(data, count)
    assert len(surveys) == 6


def test_records_of_many_sizes_are_surveyed_each_time(surveys: list[int]) -> None:
    data = b"".join(
        encode_record(
            Record(offset=n, timestamp=BASE_TIMESTAMP, key=None, value=bytes(n)), 0, BASE_TIMESTAMP
        )
        for n in range(60)
    )
    plans = SurveyPlans()
    assert {found(plans, data, 60) for _ in range(5)} == {(0, 0)}
    assert len(surveys) == 5


def test_a_stream_that_always_differs_stops_learning(surveys: list[int]) -> None:
    random = Random(4)
    plans = SurveyPlans()
    for value_bytes in range(100):
        for _ in range(3):
            data = encoded(random, MIN_RECORDS, value_bytes=value_bytes)
            assert found(plans, data, MIN_RECORDS) == (0, 0)
    assert 200 < len(surveys) < 300


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("late_ms", [0, 63, 64])
def test_any_damage_is_found_as_by_a_survey(seed: int, late_ms: int) -> None:
    sys.stdout.write(f"seed {seed}\n")
    random = Random(seed)
    count = random.choice((MIN_RECORDS, 70, 160))
    value_bytes = random.choice((1, 50, 100))
    plans = SurveyPlans()
    for _ in range(ROUNDS):
        data = bytearray(encoded(random, count, value_bytes=value_bytes, late_ms=late_ms))
        for _ in range(random.choice((0, 0, 1, 2))):
            at = random.randrange(len(data))
            data[at] = random.choice((data[at] ^ 1, data[at] ^ 128, random.randrange(256)))
        whole = bytes(data)
        assert found(plans, whole, count) == surveyed(whole, count)
