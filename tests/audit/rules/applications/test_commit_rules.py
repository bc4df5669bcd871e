from mockbroker.audit.judgement import judge
from mockbroker.audit.rules.rule_table import RULES, Need
from mockbroker.audit.source import A_JOURNAL
from tests.audit.application_rows import answered, applied, committed, fetched, pending, removed
from tests.audit.rows import an_event, found, rules_of

_BEYOND = "COMMITTED_BEYOND_LOG"
_BACKWARDS = "COMMITTED_BACKWARDS"
_CUT = an_event(5, "truncation", offset=2)._replace(detail='{"before":9}')


def test_an_offset_beyond_the_end_of_the_log_is_found() -> None:
    (finding,) = found(committed(1, 7, end=5))
    assert (finding.rule, finding.evidence) == (_BEYOND, (1,))
    assert (finding.first_offset, finding.last_offset, finding.place) == (5, 6, "a-0")
    assert finding.text == (
        "a-0: group 'g' committed offset 7, and the log ended at 5 (client 'reader')"
    )


def test_the_end_of_the_log_and_a_partition_that_is_gone_are_no_finding() -> None:
    assert not rules_of(committed(1, 5, end=5), committed(2, 7, end=None))


def test_an_offset_of_a_transaction_is_compared_with_the_log_when_it_was_sent() -> None:
    late = applied(3, 7, 1)._replace(log_end_offset=9)
    (finding,) = found(pending(2, 7, 1)._replace(log_end_offset=6), late)
    assert (finding.rule, finding.evidence) == (_BEYOND, (2,))


def test_a_reader_of_records_that_were_truncated_may_commit_their_end() -> None:
    assert not rules_of(_CUT, committed(6, 9, end=2))
    assert rules_of(_CUT, committed(6, 10, end=2)) == [_BEYOND]
    gone = an_event(6, "topic_deleted", partition=None)
    assert rules_of(_CUT, gone, committed(7, 9, end=2)) == [_BEYOND]


def test_a_reader_that_was_not_beyond_a_truncation_may_not_commit_beyond_the_end() -> None:
    late = fetched(6, 0), committed(7, 9, end=2)
    assert rules_of(fetched(1, 9, "other"), _CUT, *late) == [_BEYOND]
    assert rules_of(fetched(1, 2), _CUT, *late) == [_BEYOND]
    assert not rules_of(fetched(1, 0), answered(2, 0, 8), _CUT, committed(7, 9, end=2))


def test_a_group_that_was_beyond_a_truncation_may_commit_its_offset_again() -> None:
    new = fetched(6, 9, "new"), committed(7, 9, client="new", end=2)
    assert not rules_of(committed(1, 9), _CUT, *new)
    other = [each._replace(group="h") for each in new]
    assert rules_of(committed(1, 9), _CUT, *other) == [_BEYOND]


def test_a_reader_that_has_gone_back_after_a_truncation_knows_the_end() -> None:
    beyond = committed(9, 9, end=2)
    for begun in ([fetched(1, 9)], [fetched(1, 0), committed(2, 9)]):
        assert not rules_of(*begun, _CUT, fetched(6, 9), beyond)
        assert rules_of(*begun, _CUT, fetched(6, 2), beyond) == [_BEYOND]
    other, moved = fetched(6, 2, connection=2), fetched(6, 2, connection=2)._replace(broker=2)
    assert not rules_of(fetched(1, 9), _CUT, other, beyond)
    assert rules_of(fetched(1, 9), _CUT, moved, beyond) == [_BEYOND]


def test_an_older_offset_after_a_newer_one_is_found() -> None:
    (finding,) = found(committed(1, 5), committed(2, 9), committed(3, 6), committed(4, 12))
    assert (finding.rule, finding.evidence) == (_BACKWARDS, (2, 3))
    assert (finding.first_offset, finding.last_offset) == (6, 8)
    assert finding.text == (
        "a-0: group 'g' had committed offset 9, and then 6 (client 'reader'), which did not go"
        " back to read from there"
    )


def test_each_commit_that_goes_back_is_found() -> None:
    found_rules = rules_of(committed(1, 9), committed(2, 6), committed(3, 3))
    assert found_rules == [_BACKWARDS] * 2


def test_other_groups_and_partitions_have_offsets_of_their_own() -> None:
    other = committed(2, 3)
    assert not rules_of(committed(1, 9), other._replace(group="h"))
    assert not rules_of(committed(1, 9), other._replace(partition=1))


def test_a_reader_may_go_back_before_it_commits() -> None:
    reads = fetched(1, 0), fetched(2, 9), committed(3, 9), fetched(4, 3)
    assert not rules_of(*reads, committed(5, 6), committed(6, 12))
    assert not rules_of(*reads[:2], fetched(3, 3), committed(4, 9), committed(5, 6))


def test_a_reader_may_commit_before_it_goes_back() -> None:
    reads = fetched(1, 0), fetched(2, 9), committed(3, 9)
    assert not rules_of(*reads, committed(4, 3), fetched(5, 3), committed(6, 12))
    assert rules_of(*reads, committed(4, 3), fetched(5, 4)) == [_BACKWARDS]


def test_a_reader_may_commit_several_times_before_it_goes_back() -> None:
    commits = committed(2, 9), committed(3, 6), committed(4, 4)
    assert not rules_of(fetched(1, 9), *commits, fetched(5, 4))
    assert rules_of(fetched(1, 9), *commits, fetched(5, 5)) == [_BACKWARDS]
    assert rules_of(fetched(1, 9), *commits, committed(5, 9)) == [_BACKWARDS] * 2


def test_a_program_that_starts_again_may_commit_before_it_reads() -> None:
    first = fetched(1, 9), committed(2, 9)
    late = fetched(4, 4, connection=2)
    assert not rules_of(*first, committed(3, 4, member="n"), late)
    assert rules_of(*first, committed(3, 4), late) == [_BACKWARDS]
    assert rules_of(*first, committed(3, 4, member="n"), fetched(4, 5, connection=2)) == [
        _BACKWARDS
    ]


def test_a_reader_that_is_out_of_range_may_commit_where_it_is_reset() -> None:
    reads = fetched(1, 0), fetched(2, 12), committed(3, 9)
    refused = fetched(4, 12)._replace(kind="answer", error="OFFSET_OUT_OF_RANGE")
    assert not rules_of(*reads, refused, committed(5, 0))
    assert rules_of(*reads, refused, committed(5, 13), committed(6, 0)) == [_BACKWARDS]


def test_a_reader_goes_back_from_the_records_that_it_got() -> None:
    reads = fetched(1, 0), answered(2, 0, 8), committed(3, 9)
    assert not rules_of(*reads, fetched(4, 3), committed(5, 6))
    assert rules_of(*reads, committed(5, 6)) == [_BACKWARDS]


def test_a_reader_has_gone_back_once_for_each_time_that_it_did() -> None:
    reads = fetched(1, 0), fetched(2, 9), committed(3, 9), fetched(4, 3), committed(5, 6)
    assert rules_of(*reads, committed(6, 12), committed(7, 8)) == [_BACKWARDS]
    caught_up = fetched(1, 0), fetched(2, 9), fetched(3, 3), committed(4, 12)
    assert rules_of(*caught_up, committed(5, 8)) == [_BACKWARDS]


def test_another_reader_that_goes_back_explains_nothing() -> None:
    reads = fetched(1, 0, "other"), fetched(2, 9, "other"), committed(3, 9)
    late = fetched(4, 3, "other"), committed(5, 6)
    assert rules_of(*reads, *late) == [_BACKWARDS]


def test_a_program_that_starts_again_at_the_older_offset_has_not_gone_back() -> None:
    reads = fetched(1, 0), fetched(2, 9), committed(3, 9), committed(4, 6)
    assert rules_of(*reads, fetched(5, 6, connection=2)) == [_BACKWARDS]


def test_a_reader_that_another_leader_answers_has_gone_back() -> None:
    reads = fetched(1, 0), fetched(2, 9), committed(3, 9), committed(4, 6)
    elsewhere = fetched(5, 6, connection=2)._replace(broker=2)
    assert not rules_of(*reads, elsewhere)


def test_a_reader_may_commit_where_it_begins_before_it_reads() -> None:
    assert not rules_of(committed(1, 9), committed(2, 3), fetched(3, 3), committed(4, 12))
    assert rules_of(committed(1, 9), committed(2, 3), fetched(3, 4)) == [_BACKWARDS]


def test_groups_whose_readers_have_one_client_id_go_back_on_their_own() -> None:
    both = fetched(1, 0), fetched(2, 9), fetched(3, 0, connection=2), fetched(4, 9, connection=2)
    at_end = committed(5, 9), committed(6, 9)._replace(group="h")
    back = fetched(7, 3), fetched(8, 3, connection=2)
    ends = committed(9, 5), committed(10, 5)._replace(group="h")
    assert not rules_of(*both, *at_end, *back, *ends)
    other = committed(8, 12, client="b")._replace(group="h")
    assert not rules_of(*both, *at_end, back[0], other, ends[0])


def test_a_program_that_starts_again_has_not_gone_back_for_later_commits() -> None:
    first = fetched(1, 0), answered(2, 0, 19), committed(3, 10)
    again = fetched(4, 10, connection=2), answered(5, 10, 19, connection=2)
    assert rules_of(*first, *again, committed(6, 15), committed(7, 12)) == [_BACKWARDS]


def test_a_new_reader_may_begin_at_an_older_offset() -> None:
    first, late = committed(1, 9), committed(5, 6, client="new")
    assert not rules_of(first, fetched(4, 3, "new"), late)
    assert rules_of(fetched(0, 3, "new"), first, late) == [_BACKWARDS]


def test_a_client_that_is_no_member_may_reset_an_offset() -> None:
    assert not rules_of(committed(1, 9), committed(2, 6, member=None, client="adminclient-1"))


def test_offsets_of_transactions_are_judged_when_they_are_applied() -> None:
    begun = pending(1, 9, 1), pending(2, 6, 2)
    assert not rules_of(*begun, applied(3, 6, 2), applied(4, 9, 1))
    (finding,) = found(*begun, applied(3, 9, 1), applied(4, 6, 2))
    assert (finding.rule, finding.evidence, finding.producer_id) == (*(_BACKWARDS, (2, 3, 4), 2),)


def test_any_reader_may_go_back_for_a_transaction_without_a_member() -> None:
    reads = fetched(1, 0), fetched(2, 9), fetched(3, 3)
    sent = pending(4, 9, 1, member=None), applied(5, 9, 1), pending(6, 6, 1, member=None)
    assert not rules_of(*reads, *sent, applied(7, 6, 1))
    assert rules_of(*sent, applied(7, 6, 1)) == [_BACKWARDS]


def test_an_offset_that_is_gone_is_no_longer_compared() -> None:
    deleted = an_event(5, "topic_deleted", partition=None)
    anew = an_event(5, "event", partition=None)._replace(detail='{"event":"reset"}')
    for event in (removed(5), deleted, anew, _CUT):
        assert not rules_of(committed(1, 9), event, committed(6, 1))
    assert rules_of(committed(1, 2), _CUT, committed(6, 1)) == [_BACKWARDS]


def test_an_offset_beyond_the_end_of_the_log_has_to_be_left() -> None:
    once_more = committed(1, 9), _CUT, committed(6, 9, end=2)
    assert not rules_of(*once_more, committed(7, 0, end=2))
    late = pending(1, 9, 7), _CUT, applied(6, 9, 7)._replace(log_end_offset=2)
    assert not rules_of(*late, committed(7, 0, end=2))
    assert rules_of(*once_more, committed(7, 2, end=2), committed(8, 0, end=2)) == [_BACKWARDS]


def test_rules_without_their_evidence_are_not_judged() -> None:
    source = A_JOURNAL._replace(facts=A_JOURNAL.facts - {Need.OFFSETS})
    verdict = judge([committed(1, 7, end=5), committed(2, 6)], source)
    assert not verdict.findings
    unjudged = {each.rule: each.reason for each in verdict.rules if not each.is_judged}
    needing = [name for name, rule in RULES.items() if Need.OFFSETS in rule.needs]
    assert {"COMMITTED_BEYOND_LOG", "COMMITTED_BACKWARDS"} < set(needing)
    assert unjudged == dict.fromkeys(needing, "a journal has no committed offsets")
