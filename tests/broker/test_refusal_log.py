"""The log of refusals."""

from typing import Any

import pytest

from mockbroker.broker.refusal_log import SHOWN_PER_SECOND, SHOWN_PER_SECOND_IN_ALL, RefusalLog
from mockbroker.events import logging
from mockbroker.protocol.errors import ApiError, ErrorCode

Line = tuple[str, str, dict[str, Any]]

GAP = ApiError(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, "5 comes after 3")
FULL = ApiError(ErrorCode.KAFKA_STORAGE_ERROR, "raise mockbroker.memory.bytes")


class Seconds:
    """A clock that a test moves."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch) -> list[Line]:
    seen: list[Line] = []
    for level in ("info", "warning"):

        def log(event: str, level: str = level, **fields: object) -> None:
            seen.append((level, event, fields))

        monkeypatch.setattr(logging, level, log)
    return seen


def test_a_refusal_is_logged_with_its_code_and_its_reason(lines: list[Line]) -> None:
    RefusalLog(Seconds()).note("produce_refused", GAP, topic="orders")
    told = {"error": "OUT_OF_ORDER_SEQUENCE_NUMBER", "why": "5 comes after 3", "topic": "orders"}
    assert lines == [("info", "produce_refused", told)]


def test_errors_for_the_user_are_warnings(lines: list[Line]) -> None:
    RefusalLog(Seconds()).note("produce_refused", FULL)
    assert [level for level, _, _ in lines] == ["warning"]


def test_the_same_refusal_is_shown_a_few_times_a_second_and_then_counted(lines: list[Line]) -> None:
    clock = Seconds()
    refusals = RefusalLog(clock)
    for _ in range(SHOWN_PER_SECOND + 7):
        refusals.note("produce_refused", GAP, topic="orders")
    assert len(lines) == SHOWN_PER_SECOND
    clock.now = 1.0
    refusals.note("produce_refused", GAP, topic="orders")
    assert lines[SHOWN_PER_SECOND] == ("info", "refusals_not_shown", {"count": 7})
    assert lines[-1][1] == "produce_refused"


def test_refusals_of_different_things_do_not_hide_each_other(lines: list[Line]) -> None:
    refusals = RefusalLog(Seconds())
    for number in range(3 * SHOWN_PER_SECOND):
        refusals.note("produce_refused", GAP, partition=number)
    assert len(lines) == 3 * SHOWN_PER_SECOND


def test_a_request_that_names_many_things_does_not_flood_the_log(lines: list[Line]) -> None:
    clock = Seconds()
    refusals = RefusalLog(clock)
    for number in range(SHOWN_PER_SECOND_IN_ALL + 50):
        refusals.note("fetch_refused", GAP, partition=number)
    assert len(lines) == SHOWN_PER_SECOND_IN_ALL
    clock.now = 1.0
    refusals.note("fetch_refused", GAP, partition=0)
    assert lines[SHOWN_PER_SECOND_IN_ALL] == ("info", "refusals_not_shown", {"count": 50})


def test_errors_for_the_user_are_shown_in_a_flood_of_other_refusals(lines: list[Line]) -> None:
    refusals = RefusalLog(Seconds())
    for number in range(SHOWN_PER_SECOND_IN_ALL + 1):
        refusals.note("fetch_refused", GAP, partition=number)
    refusals.note("produce_refused", FULL)
    assert lines[-1][0] == "warning"


def test_what_is_repeated_is_worth_a_line_at_powers_of_ten() -> None:
    log = RefusalLog(Seconds())
    counts = [log.counted("not_kafka", "10.0.0.1") for _ in range(1_000)]
    assert [count for count in counts if count] == [1, 10, 100, 1_000]
    assert log.counted("not_kafka", "10.0.0.2") == 1


def test_the_memory_for_what_is_repeated_is_bounded() -> None:
    log = RefusalLog(Seconds())
    for number in range(2_500):
        assert log.counted(number) == 1
    assert log.counted(2_499) == 0
    assert log.counted(0) == 1, "it was forgotten"
