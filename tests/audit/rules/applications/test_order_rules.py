from mockbroker.audit.runs.run import Run
from tests.audit.rows import an_event, asked, batch, found, rules_of

_RULE = "ORDER_CHANGED"


def _request(seq: int, *, connection: int = 1, producer: int = -1, acks: int = -1) -> Run:
    request = asked(seq, "Produce", call=seq, topic="a", partition=0, client_id="writer")
    return request._replace(
        connection=connection,
        producer_id=producer,
        producer_epoch=producer,
        base_sequence=producer,
        record_count=1,
        acks=acks,
    )


def _refused(seq: int, crc: int, **said: int) -> list[Run]:
    request = _request(seq, **said)
    error = "NOT_ENOUGH_REPLICAS"
    return [request, request._replace(kind="answer", seq=seq + 2, error=error, crc=crc)]


def _stored(seq: int, crc: int, offset: int, **said: int) -> list[Run]:
    request = _request(seq, **said)
    sent = request.producer_id or -1, request.producer_epoch or -1
    stored = batch(seq + 1, -1, offset=offset, producer=sent, call=seq)
    given = request._replace(kind="answer", seq=seq + 2, error="NONE", base_offset=offset)
    return [request, stored._replace(crc=crc, client_id="writer", connection=1), given]


def _order(*runs: Run) -> list[str]:
    return [each for each in rules_of(*runs) if each == _RULE]


def test_a_retry_that_is_appended_after_later_batches_is_found() -> None:
    runs = *_refused(1, 11), *_stored(4, 12, 0), *_stored(7, 13, 1), *_stored(10, 11, 2)
    (finding,) = [each for each in found(*runs) if each.rule == _RULE]
    assert (finding.first_offset, finding.last_offset, finding.evidence) == (2, 2, (1, 5, 11))
    assert finding.text == (
        "a-0: offset 2 was sent by 'writer' in call 1, before offsets 0 to 1, and appended after"
        " them by a retry in call 10"
    )


def test_a_retry_before_later_batches_is_no_finding() -> None:
    assert not _order(*_refused(1, 11), *_stored(4, 11, 0), *_stored(7, 12, 1))


def test_batches_that_are_refused_together_keep_their_order() -> None:
    refused = *_refused(1, 11), *_refused(4, 12)
    assert not _order(*refused, *_stored(7, 11, 0), *_stored(10, 12, 1))
    assert _order(*refused, *_stored(7, 12, 0), *_stored(10, 11, 1)) == [_RULE]


def test_a_batch_may_be_refused_often() -> None:
    refused = *_refused(1, 11), *_stored(4, 12, 0), *_refused(7, 11)
    (finding,) = [each for each in found(*refused, *_stored(10, 11, 1)) if each.rule == _RULE]
    assert finding.evidence == (1, 5, 11)


def test_other_connections_and_producers_with_sequences_are_no_finding() -> None:
    assert not _order(*_refused(1, 11), *_stored(4, 12, 0, connection=2), *_stored(7, 11, 1))
    known = _refused(1, 11, producer=0), _stored(4, 12, 0), _stored(7, 11, 1, producer=0)
    assert not _order(*[run for runs in known for run in runs])


def test_a_batch_that_was_appended_at_once_is_in_order() -> None:
    (request, stored, given) = _stored(1, 11, 0)
    lost = given._replace(kind="lost", error=None, crc=11)
    assert not _order(request, stored, lost, *_stored(4, 12, 1), *_stored(7, 11, 2))


def test_a_batch_that_nobody_waits_for_is_not_sent_again() -> None:
    unwanted = _request(1, acks=0)
    assert not _order(unwanted, *_stored(4, 12, 0), *_stored(7, 11, 1))


def test_a_topic_or_a_cluster_that_is_made_anew_has_another_order() -> None:
    for event in (
        an_event(4, "topic_deleted", partition=None),
        an_event(4, "event", partition=None)._replace(detail='{"event":"reset"}'),
    ):
        assert not _order(*_refused(1, 11), event, *_stored(5, 12, 0), *_stored(8, 11, 1))
