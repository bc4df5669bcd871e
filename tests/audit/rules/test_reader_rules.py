import json

from mockbroker.audit.rules.reader_rules import reader_name
from mockbroker.audit.runs.run import Run
from tests.audit.rows import (
    an_event,
    asked,
    batch,
    found,
    rules_of,
)

_RULE = "TOPIC_ID_CHANGED_UNDER_READER"
_GONE = an_event(5, "topic_deleted", partition=None)
_NEW = an_event(6, "topic_created", partition=None)


def _fetch(seq: int, offset: int, client_id: str = "reader") -> Run:
    detail = json.dumps({"max_wait_ms": 5} | ({"fetch_offset": offset} if offset else {}))
    run = asked(seq, "Fetch", call=seq, topic="a", partition=0, client_id=client_id, detail=detail)
    return run._replace(connection=4)


def _got(seq: int, first: int, last: int) -> Run:
    """Make the answer to the request before."""
    answer = _fetch(seq, first)._replace(kind="answer", call=seq - 1, error="NONE")
    return answer._replace(base_offset=first, last_offset=last)


def _refused(fetch: Run, seq: int, error: str) -> Run:
    return fetch._replace(kind="answer", seq=seq, error=error)


def test_a_reader_that_continues_in_a_recreated_topic_is_found() -> None:
    (finding,) = found(_fetch(1, 0), _fetch(2, 5), _GONE, _NEW, _fetch(7, 5))
    assert (finding.rule, finding.evidence) == (_RULE, (2, 7))
    assert (finding.first_offset, finding.last_offset) == (0, 4)


def test_a_reader_that_starts_over_and_another_reader_are_no_finding() -> None:
    assert not rules_of(_fetch(1, 0), _fetch(2, 5), _GONE, _NEW, _fetch(7, 0))
    assert not rules_of(_fetch(1, 0), _fetch(2, 5), _GONE, _NEW, _fetch(7, 5, "other"))


def test_a_reader_that_begins_at_the_end_of_the_new_log_is_no_finding() -> None:
    given = batch(7, offset=0, count=5, producer=(-1, -1))
    assert not rules_of(_fetch(1, 0), _fetch(2, 5), _GONE, _NEW, given, _fetch(8, 5))
    more = batch(7, offset=0, count=6, producer=(-1, -1))
    runs = (_fetch(1, 0), _fetch(2, 5), _GONE, _NEW, more, _fetch(8, 5))
    assert rules_of(*runs) == [_RULE]


def test_a_reader_that_gets_offset_out_of_range_is_no_finding() -> None:
    before, after = _fetch(2, 5), _fetch(7, 5)
    refused = _refused(after, 8, "OFFSET_OUT_OF_RANGE")
    assert not rules_of(before, _GONE, _NEW, after, refused, _fetch(9, 3))


def test_a_reader_whose_client_only_gets_unknown_topic_id_is_found() -> None:
    before, after = _fetch(2, 5), _fetch(7, 5)
    refused = _refused(after, 8, "UNKNOWN_TOPIC_ID")
    assert rules_of(before, _GONE, _NEW, after, refused, _fetch(9, 5))


def test_a_reader_is_expected_to_continue_after_the_records_that_it_got() -> None:
    read = [_fetch(2, 0), _got(3, 0, 4), _GONE, _NEW]
    assert rules_of(*read, _fetch(7, 5)) == [_RULE]
    assert not rules_of(*read, _fetch(7, 5)._replace(connection=5)), "another reader"
    for offset in (3, 6):
        assert not rules_of(*read, _fetch(7, offset))
    assert not rules_of(_fetch(2, 0), _GONE, _NEW, _fetch(7, 5)), "which got nothing"


def test_a_reader_that_is_reset_is_no_finding() -> None:
    given = batch(7, offset=0, count=9, producer=(-1, -1))
    read = [_fetch(2, 5), _got(3, 5, 9), _GONE, _NEW, given]
    assert not rules_of(*read, _fetch(8, 7)), "to the end that the log had before"
    cut = an_event(8, "log_start", offset=5)
    assert not rules_of(*read, cut, _fetch(9, 5)), "to the start of the log"
    assert rules_of(*read, _fetch(8, 5)) == [_RULE]


def test_a_request_before_the_answer_to_another_one_does_not_hide_its_error() -> None:
    after = _fetch(7, 5)
    refused = _refused(after, 9, "OFFSET_OUT_OF_RANGE")
    assert not rules_of(_fetch(2, 5), _GONE, _NEW, after, _fetch(8, 0), refused)


def test_a_restarted_spark_query_is_the_same_reader() -> None:
    name = "consumer-spark-kafka-source-{}--1277333368-executor-{}"
    first = name.format("0f2b1f06-70a8-4b2e-9c4e-3a4b5c6d7e8f", 2)
    second = name.format("9a8b7c6d-1234-4b2e-9c4e-3a4b5c6d7e8f", 4)
    assert reader_name(first) == reader_name(second) == "spark-kafka-source -1277333368"
    assert reader_name("consumer-orders-1") == "consumer-orders-1"
    rows = [_fetch(2, 5, first), _GONE, _NEW, _fetch(7, 5, second)]
    assert rules_of(*rows) == [_RULE]


def test_a_query_of_spark_may_have_got_more_than_it_has_read() -> None:
    first, second = (
        f"spark-kafka-source-0f2b1f06-70a8-4b2e-9c4e-3a4b5c6d7e8f-1-executor-{each}"
        for each in (1, 2)
    )
    got = _got(3, 2, 8)._replace(client_id=first)
    read = [_fetch(2, 2, first), got, _GONE, _NEW]
    for offset in (2, 5, 9):
        assert rules_of(*read, _fetch(7, offset, second)) == [_RULE]
    for offset in (1, 10):
        assert not rules_of(*read, _fetch(7, offset, second))
