"""Shared checks of the clients' tests can fail: the comparison, and the monitor of the brokers."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.clients.support.broker_process import broker_process
from tests.clients.support.client_program import client_program
from tests.clients.support.deadline import collect_values, wait_until
from tests.clients.support.records import (
    Record,
    digest,
    first_difference,
    sample_partitions,
    without_timestamps,
)

CHANGES = {
    "key": b"other",
    "value": None,
    "timestamp_ms": 0,
    "headers": (("step", b"other"),),
}


def partitions() -> dict[int, list[Record]]:
    return sample_partitions(300)


def test_equal_partitions_have_no_difference() -> None:
    assert first_difference(partitions(), partitions()) is None


@pytest.mark.parametrize("field", CHANGES)
def test_a_changed_field_is_a_difference(field: str) -> None:
    changed = partitions()
    changed[1][7] = replace(changed[1][7], **{field: CHANGES[field]})  # type: ignore[arg-type]
    assert str(first_difference(partitions(), changed)).startswith("partition 1, record 7:")
    assert digest(changed[1]) != digest(partitions()[1])


def test_swapped_records_are_a_difference() -> None:
    swapped = partitions()
    swapped[2].reverse()
    assert str(first_difference(partitions(), swapped)).startswith("partition 2, record 0:")
    assert digest(swapped[2]) != digest(partitions()[2])


def test_a_missing_and_a_doubled_record_are_differences() -> None:
    missing, doubled = partitions(), partitions()
    del missing[0][-1]
    doubled[0].append(doubled[0][-1])
    assert first_difference(partitions(), missing) == "partition 0: expected 100 records, got 99"
    assert first_difference(partitions(), doubled) == "partition 0: expected 100 records, got 101"


def test_an_additional_partition_is_a_difference() -> None:
    extra = partitions() | {3: []}
    assert (
        first_difference(partitions(), extra)
        == "records in partitions [3], where none were expected"
    )


def test_without_timestamps_other_fields_are_still_compared() -> None:
    changed = partitions()
    changed[0][0] = replace(changed[0][0], timestamp_ms=1, value=b"other")
    assert first_difference(without_timestamps(partitions()), without_timestamps(changed))


def test_missing_values_are_reported() -> None:
    with pytest.raises(TimeoutError, match=r"no 'end' in 0 s, only \[\]"):
        collect_values(lambda: ["some"], "end", timeout_s=0)


def test_a_condition_that_never_holds_is_reported() -> None:
    with pytest.raises(TimeoutError):
        wait_until(lambda: False, timeout_s=0)


@pytest.mark.slow
def test_a_program_that_ends_early_fails_with_its_output(tmp_path: Path) -> None:
    program_that_ends = [sys.executable, "-c", "input(); raise SystemExit('out of ideas')"]
    with (
        pytest.raises(AssertionError, match=r"(?s)no answer.*out of ideas"),
        client_program(program_that_ends, tmp_path) as program,
    ):
        program.open("127.0.0.1:9092", "id", 1000)


@pytest.mark.slow
def test_brokers_that_do_not_start_report_the_reason(tmp_path: Path) -> None:
    with (
        pytest.raises(AssertionError, match=r"(?s)did not start.*--no-such-option"),
        broker_process(tmp_path, ["--no-such-option"]),
    ):
        pass


@pytest.mark.slow
def test_a_traceback_in_the_log_of_the_brokers_is_a_failure(tmp_path: Path) -> None:
    with (
        pytest.raises(AssertionError, match="logged a traceback"),
        broker_process(tmp_path, []),
    ):
        (tmp_path / "mockbroker.log").write_text("Traceback (most recent call last):")
