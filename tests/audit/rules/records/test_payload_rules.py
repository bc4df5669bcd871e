"""Rules on duplicate records of a running cluster."""

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from mockbroker.audit.attempt import Attempt
from mockbroker.audit.rules.records.payload_rules import payload_findings, repetitions
from mockbroker.events.produce_outcome import ResponseOutcome
from tests.support.log_evidence import attempt, log_evidence

A, B = b"a", b"b"
LOST = {"answer": ResponseOutcome.LOST}
REFUSED = {"error": "REQUEST_TIMED_OUT"}


def found(*attempts: Attempt, contents: Mapping[int, bytes]) -> list[tuple[tuple[int, int], ...]]:
    return [each.offsets for each in repetitions(log_evidence(*attempts, contents=contents))]


def test_a_retry_on_another_connection_after_a_lost_answer_is_a_duplicate() -> None:
    first, retry = attempt(1, 0, **LOST), attempt(2, 1, connection=2)
    assert found(first, retry, contents={0: A, 1: A}) == [((0, 1),)]
    assert found(first, retry, contents={0: A, 1: B}) == [], "another record"


def test_a_retry_on_the_same_connection_comes_after_an_error() -> None:
    first, retry = attempt(1, 0, **REFUSED), attempt(2, 1)
    assert found(first, retry, contents={0: A, 1: A}) == [((0, 1),)]


def test_a_batch_that_was_already_in_flight_is_no_retry() -> None:
    first = attempt(1, 0, answer=ResponseOutcome.NONE_YET, answered_at=0)
    assert found(first, attempt(2, 1), contents={0: A, 1: A}) == []


def test_a_record_that_an_application_sends_twice_is_no_duplicate() -> None:
    assert found(attempt(1, 0), attempt(2, 1, connection=2), contents={0: A, 1: A}) == []


def test_an_answer_that_comes_after_the_retry_is_too_late() -> None:
    first, retry = attempt(1, 0, answered_at=5), attempt(3, 1, connection=2)
    assert found(first, retry, contents={0: A, 1: A}) == [((0, 1),)]


def test_a_batch_of_another_client_is_no_retry() -> None:
    rows = attempt(1, 0, client_id="shop", **LOST), attempt(2, 1, client_id="till", connection=2)
    assert found(*rows, contents={0: A, 1: A}) == []
    assert found(rows[0], rows[1]._replace(client_id="shop"), contents={0: A, 1: A}) == [((0, 1),)]


def test_a_batch_sent_with_acks_0_is_not_retried() -> None:
    first = attempt(1, 0, answer=ResponseOutcome.UNWANTED)
    assert found(first, attempt(2, 1, connection=2), contents={0: A, 1: A}) == []


def test_the_same_sequence_twice_is_a_duplicate_even_after_an_acknowledgement() -> None:
    first = attempt(1, 0, producer_id=7, producer_epoch=0, base_sequence=0)
    other = attempt(2, 1, producer_id=7, producer_epoch=0, base_sequence=1)
    again = attempt(3, 2, producer_id=7, producer_epoch=0, base_sequence=0)
    assert found(first, other, again, contents={0: A, 1: B, 2: A}) == [((0, 2),)]
    assert found(first, other, again, contents={0: A, 1: B, 2: B}) == [], "used for another record"
    next_epoch = again._replace(producer_epoch=1)
    assert found(first, other, next_epoch, contents={0: A, 1: B, 2: A}) == []


def test_a_batch_that_was_split_is_found_by_its_records() -> None:
    first = attempt(1, 0, record_count=2, **LOST)
    halves = attempt(2, 2, connection=2), attempt(3, 3, connection=2)
    assert found(first, *halves, contents={0: A, 1: B, 2: A, 3: B}) == [((0, 2),), ((1, 3),)]


def test_equal_records_in_one_batch_are_counted_and_not_multiplied() -> None:
    first = attempt(1, 0, record_count=2, **LOST)
    retry = attempt(2, 2, record_count=3, connection=2)
    contents = {0: A, 1: A, 2: A, 3: A, 4: A}
    assert found(first, retry, contents=contents) == [((0, 2), (1, 3))]


def test_a_request_that_was_applied_twice_is_a_duplicate() -> None:
    first = attempt(1, 0)
    again = attempt(1, 1, appended_at=2, is_repeated=True)
    log = log_evidence(first._replace(answered_at=3), again, contents={0: A, 1: A})
    (finding,) = payload_findings(log)
    assert "the request was applied twice" in finding.text


def test_an_aborted_or_truncated_batch_has_no_duplicate() -> None:
    rows = attempt(1, 0, **LOST), attempt(2, 1, connection=2)
    contents = {0: A, 1: A}
    kept = log_evidence(*rows, contents=contents)
    assert len(list(repetitions(kept))) == 1
    for gone in (
        log_evidence(*rows, contents=contents, aborted=[0]),
        log_evidence(*rows, contents=contents, cuts=[(3, 1)]),
        log_evidence(*rows, contents={1: A}),
    ):
        assert list(repetitions(gone)) == []


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        (LOST, "the response to call 1 was lost"),
        (REFUSED, "the response to call 1 was REQUEST_TIMED_OUT, although the batch was appended"),
        (
            {"answer": ResponseOutcome.NONE_YET, "answered_at": 0},
            "the response to call 1 was not sent yet",
        ),
        ({"answered_at": 5}, "the response to call 1 came too late"),
    ],
)
def test_a_finding_names_the_reason_of_the_retry(changes: dict[str, Any], why: str) -> None:
    first = attempt(1, 0, record_count=2, client_id="shop", **changes)
    retry = attempt(3, 2, record_count=2, client_id="shop", connection=2)
    contents = {0: A, 1: B, 2: A, 3: B}
    (finding,) = payload_findings(log_evidence(first, retry, contents=contents))
    assert finding.text == (
        "orders-0: offsets 2..3 repeat offsets 0..1 (2 records), sent by 'shop' in call 3: " + why
    )
    assert (finding.rule, finding.place) == ("DUPLICATE_PAYLOAD", "orders-0")
    assert (finding.first_offset, finding.last_offset) == (2, 3)
    assert finding.evidence[0] == 1
    assert finding.evidence[-1] in {3, 5}
    assert "enable.idempotence" in finding.advice


def test_an_idempotent_producer_gets_another_advice() -> None:
    first = attempt(1, 0, producer_id=7, producer_epoch=0, base_sequence=0)
    again = first._replace(call=2, came_at=2, appended_at=2, answered_at=2, base_offset=1)
    (finding,) = payload_findings(log_evidence(first, again, contents={0: A, 1: A}))
    assert "the client ignored the response to call 1" in finding.text
    assert "enable.idempotence" not in finding.advice


def test_a_batch_without_known_records_is_compared_by_its_checksum() -> None:
    first, retry = (
        attempt(1, 0, record_count=3, **LOST),
        attempt(2, 3, record_count=3, connection=2),
    )
    log = log_evidence(first, retry)

    def checksum(tried: Attempt, _last: int) -> list[tuple[int, int, Hashable]]:
        return [(tried.base_offset, 3, "sum")]

    (finding,) = payload_findings(replace(log, identities=checksum))
    assert "offsets 3..5 repeat offsets 0..2 (3 records)" in finding.text
    assert (finding.first_offset, finding.last_offset) == (3, 5)


def test_without_acks_only_a_request_applied_twice_is_a_duplicate() -> None:
    first = attempt(1, 0, answer=ResponseOutcome.UNWANTED)
    again = first._replace(base_offset=1, appended_at=2, is_repeated=True)
    assert found(first, again, contents={0: A, 1: A}) == [((0, 1),)]
    assert found(first, attempt(2, 1, answer=ResponseOutcome.UNWANTED), contents={0: A, 1: A}) == []
