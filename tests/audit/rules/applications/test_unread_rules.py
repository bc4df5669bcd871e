from mockbroker.audit.runs.run import Run
from tests.audit.application_rows import answered, applied, committed, fetched, pending, removed
from tests.audit.rows import an_event, batch, end_of, found, rules_of

_RULE = "COMMITTED_UNREAD"
_LOG = [batch(seq, offset=2 * seq - 2, count=2, producer=(-1, -1)) for seq in range(1, 6)]
"""Ten records."""


def _unread(*runs: Run) -> list[str]:
    return [each for each in rules_of(*_LOG, *runs) if each == _RULE]


def _read(seq: int, first: int, last: int, client: str = "reader") -> list[Run]:
    return [fetched(seq, first, client), answered(seq + 1, first, last, client)]


def test_records_that_no_reader_got_are_found_when_their_end_is_committed() -> None:
    runs = *_read(11, 0, 3), committed(13, 4), *_read(14, 7, 9), committed(16, 10)
    (finding,) = found(*_LOG, *runs)
    assert (finding.rule, finding.evidence) == (_RULE, (13, 16))
    assert (finding.first_offset, finding.last_offset) == (4, 6)
    assert finding.text == (
        "a-0: group 'g' committed offset 10 (client 'reader'), and no response to its clients had"
        " offsets 4 to 6"
    )


def test_several_gaps_are_one_finding() -> None:
    runs = *_read(11, 0, 1), *_read(13, 4, 5), *_read(15, 8, 8), committed(17, 10)
    (finding,) = found(*_LOG, *runs)
    assert (finding.first_offset, finding.last_offset) == (2, 9)
    assert finding.text.endswith("no response to its clients had 5 of offsets 2 to 9")


def test_a_group_that_commits_what_it_got_is_no_finding() -> None:
    assert not _unread(*_read(11, 0, 9), committed(13, 4), committed(14, 10))


def test_a_group_without_an_offset_begins_where_its_reader_does() -> None:
    assert not _unread(*_read(11, 6, 9), committed(13, 10))
    assert not _unread(committed(11, 4), removed(12), *_read(13, 6, 9), committed(15, 10))
    assert not _unread(answered(11, 6, 9), committed(13, 10))


def test_a_group_that_begins_anew_begins_where_its_known_reader_does() -> None:
    anew = removed(14), *_read(15, 6, 9), committed(17, 10)
    assert not _unread(*_read(11, 0, 3), committed(13, 4), *anew)
    assert _unread(*_read(11, 0, 3), committed(13, 4), *anew[1:]) == [_RULE]
    late = removed(14), *_read(15, 6, 7), *_read(17, 9, 9), committed(19, 10)
    assert _unread(*_read(11, 0, 3), committed(13, 4), *late) == [_RULE]


def test_a_consumer_with_the_client_id_of_another_one_begins_on_its_own() -> None:
    other = fetched(13, 6, connection=2), answered(14, 6, 9, connection=2)
    assert not _unread(*_read(11, 0, 3), *other, committed(15, 10))
    assert _unread(*_read(11, 0, 3), committed(12, 4), *other, committed(15, 10)) == [_RULE]


def test_members_read_for_their_group() -> None:
    one, two = committed(13, 4, client="a", member="m"), committed(16, 10, client="b", member="n")
    assert not _unread(*_read(11, 0, 3, "a"), one, *_read(14, 4, 9, "b"), two)
    late = committed(18, 10, client="b", member="n")
    shared = *_read(11, 0, 3, "a"), one, *_read(14, 4, 5, "a"), *_read(16, 6, 9, "b")
    assert not _unread(*shared, late)
    assert _unread(*_read(11, 0, 3, "a"), one, *_read(14, 6, 9, "b"), late) == [_RULE]


def test_clients_that_are_no_members_or_have_read_nothing_are_no_finding() -> None:
    assert not _unread(committed(11, 4), committed(12, 10, member=None, client="tool"))
    assert not _unread(*_read(11, 0, 3), committed(13, 4), committed(14, 10, client="leader"))
    assert not _unread(fetched(11, 0), committed(12, 10, member=None))


def test_records_that_are_gone_need_no_reader() -> None:
    read = [*_read(11, 0, 3), committed(13, 4)]
    start = an_event(14, "log_start", offset=7)
    assert not _unread(*read, start, *_read(15, 7, 9), committed(17, 10))
    cut = an_event(14, "truncation", offset=4)
    assert not _unread(*read, cut, committed(15, 10))
    gone = an_event(14, "topic_deleted", partition=None)
    assert not _unread(*read, gone, *_read(15, 7, 9), committed(17, 10))
    anew = an_event(14, "event", partition=None)._replace(detail='{"event":"reset"}')
    assert not _unread(*read, anew, *_read(15, 7, 9), committed(17, 10))


def test_a_reader_beyond_a_truncation_begins_anew() -> None:
    read = [*_read(11, 0, 9), fetched(13, 10), committed(14, 10)]
    cut = an_event(15, "truncation", offset=6)
    again = batch(16, offset=6, count=4, producer=(-1, -1))
    assert not _unread(*read, cut, again, *_read(17, 10, 9), committed(19, 10))
    early = *_read(11, 0, 5), fetched(13, 6), committed(14, 6)
    assert _unread(*early, cut, again, committed(17, 10)) == [_RULE]


def test_what_was_read_before_a_truncation_and_is_left_stays_read() -> None:
    cut = an_event(15, "truncation", offset=8)
    again = batch(16, offset=8, count=2, producer=(-1, -1))
    begun = committed(11, 0), *_read(12, 0, 9), fetched(14, 10), cut, again
    assert not _unread(*begun, *_read(17, 8, 9), committed(19, 10))
    (finding,) = found(*_LOG, *begun, *_read(17, 9, 9), committed(19, 10))
    assert (finding.first_offset, finding.last_offset) == (8, 8)


def test_a_reader_commits_where_it_was_before_it_learns_of_a_truncation() -> None:
    cut = an_event(15, "truncation", offset=8)
    again = batch(16, offset=8, count=2, producer=(-1, -1))
    begun = committed(11, 0), *_read(12, 0, 9)
    assert not _unread(*begun, cut, again, committed(17, 10), *_read(18, 8, 9), committed(20, 10))
    assert not _unread(*begun, fetched(14, 10), cut, again, committed(17, 10))


def test_compacted_offsets_and_markers_need_no_reader() -> None:
    writes = [batch(21, offset=10, producer=(-1, -1)), end_of(22, "COMMIT", offset=11)]
    more = batch(23, offset=20, producer=(-1, -1))
    begun = [*_read(11, 0, 9), committed(13, 10), *writes, more]
    answer = answered(25, 20, 20)
    assert not _unread(*begun, fetched(24, 10), answer, committed(26, 21))
    runs = *begun, *_read(24, 10, 10), committed(26, 12)
    assert not _unread(*runs)
    assert _unread(*runs, committed(27, 21)) == [_RULE]


def test_an_answer_belongs_to_the_request_of_its_connection() -> None:
    begun = committed(11, 0), fetched(12, 0), fetched(13, 10, connection=2)
    compacted = batch(14, offset=17, producer=(-1, -1))
    read = answered(15, 0, 9), fetched(16, 10), fetched(17, 18, connection=2)
    assert not _unread(*begun, compacted, *read, answered(18, 17, 17), committed(19, 18))
    back = committed(11, 0), fetched(12, 6), fetched(13, 0, connection=2)
    assert _unread(*back, answered(14, 6, 9), committed(15, 10)) == [_RULE]


def test_an_offset_of_a_transaction_is_of_the_member_that_sent_it() -> None:
    sent = [pending(15, 10, 7), applied(16, 10, 7)]
    assert not _unread(*_read(11, 0, 9), *sent)
    assert _unread(*_read(11, 0, 3), *sent) == [_RULE]
    nobody = [pending(15, 10, 7, member=None), applied(16, 10, 7)]
    assert not _unread(*_read(11, 0, 3), *nobody)
