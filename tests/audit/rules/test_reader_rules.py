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

_GONE = an_event(5, "topic_deleted", partition=None)
_NEW = an_event(6, "topic_created", partition=None)


def _fetch(seq: int, offset: int, client_id: str = "reader") -> Run:
    detail = json.dumps({"max_wait_ms": 5} | ({"fetch_offset": offset} if offset else {}))
    return asked(seq, "Fetch", call=seq, topic="a", partition=0, client_id=client_id, detail=detail)


def _refused(fetch: Run, seq: int, error: str) -> Run:
    return fetch._replace(kind="answer", seq=seq, error=error)


def test_a_reader_that_continues_in_a_recreated_topic_is_found() -> None:
    (finding,) = found(_fetch(1, 0), _fetch(2, 5), _GONE, _NEW, _fetch(7, 5))
    assert (finding.rule, finding.evidence) == ("TOPIC_ID_CHANGED_UNDER_READER", (2, 7))
    assert (finding.first_offset, finding.last_offset) == (0, 4)


def test_a_reader_that_starts_over_and_another_reader_are_no_finding() -> None:
    assert not rules_of(_fetch(1, 0), _fetch(2, 5), _GONE, _NEW, _fetch(7, 0))
    assert not rules_of(_fetch(1, 0), _fetch(2, 5), _GONE, _NEW, _fetch(7, 5, "other"))


def test_a_reader_that_begins_at_the_end_of_the_new_log_is_no_finding() -> None:
    given = batch(7, offset=0, count=5, producer=(-1, -1))
    assert not rules_of(_fetch(1, 0), _fetch(2, 5), _GONE, _NEW, given, _fetch(8, 5))
    more = batch(7, offset=0, count=6, producer=(-1, -1))
    runs = (_fetch(1, 0), _fetch(2, 5), _GONE, _NEW, more, _fetch(8, 5))
    assert rules_of(*runs) == ["TOPIC_ID_CHANGED_UNDER_READER"]


def test_a_reader_that_gets_offset_out_of_range_is_no_finding() -> None:
    before, after = _fetch(2, 5), _fetch(7, 5)
    refused = _refused(after, 8, "OFFSET_OUT_OF_RANGE")
    assert not rules_of(before, _GONE, _NEW, after, refused, _fetch(9, 3))


def test_a_reader_whose_client_only_gets_unknown_topic_id_is_found() -> None:
    before, after = _fetch(2, 5), _fetch(7, 5)
    refused = _refused(after, 8, "UNKNOWN_TOPIC_ID")
    assert rules_of(before, _GONE, _NEW, after, refused, _fetch(9, 5))


def test_a_reader_is_expected_to_continue_after_the_records_that_it_got() -> None:
    given = batch(1, offset=0, count=5, producer=(-1, -1))
    before, after = _fetch(2, 0), _fetch(7, 5)
    assert not rules_of(given, before, _GONE, _NEW, after)
    same = before._replace(connection=4), after._replace(connection=4)
    assert rules_of(given, same[0], _GONE, _NEW, same[1]) == ["TOPIC_ID_CHANGED_UNDER_READER"]
    beyond = _fetch(7, 6)._replace(connection=4)
    assert not rules_of(given, same[0], _GONE, _NEW, beyond)
    unknown = [same[0], _GONE, _NEW, same[1]]
    assert not rules_of(*unknown)


def test_a_restarted_spark_query_is_the_same_reader() -> None:
    name = "consumer-spark-kafka-source-{}--1277333368-executor-{}"
    first = name.format("0f2b1f06-70a8-4b2e-9c4e-3a4b5c6d7e8f", 2)
    second = name.format("9a8b7c6d-1234-4b2e-9c4e-3a4b5c6d7e8f", 4)
    assert reader_name(first) == reader_name(second) == "spark-kafka-source -1277333368"
    assert reader_name("consumer-orders-1") == "consumer-orders-1"
    rows = [_fetch(2, 5, first), _GONE, _NEW, _fetch(7, 5, second)]
    assert rules_of(*rows) == ["TOPIC_ID_CHANGED_UNDER_READER"]
