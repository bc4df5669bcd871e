from mockbroker.audit.runs.run import Run
from tests.audit.application_rows import applied, committed, pending, removed
from tests.audit.rows import an_event, found, rules_of

_RULE = "OFFSETS_OUTSIDE_TRANSACTION"
_NEW = an_event(0, "topic_created", partition=None)._replace(topic="__consumer_offsets")
_INSIDE = pending(1, 5, 7), applied(2, 5, 7)


def _outside(*runs: Run) -> list[str]:
    return [each for each in rules_of(*_INSIDE, *runs) if each == _RULE]


def test_a_member_that_commits_beside_its_transactions_is_found_once() -> None:
    (finding,) = found(*_INSIDE, committed(3, 8), committed(4, 9))
    assert (finding.rule, finding.evidence, finding.producer_id) == (_RULE, (1, 3, 4), 7)
    assert (finding.first_offset, finding.last_offset) == (5, 8)
    assert finding.text == (
        "a-0: client 'reader' committed offset 8 of group 'g' after 5, and 1 more since, and not in"
        " the transactions of producer 7, as before"
    )


def test_a_client_that_has_begun_a_transaction_since_it_read_is_found() -> None:
    detail = '{"member":"m","begun":{"transactional_id":"svc","seq":4}}'
    beside = committed(5, 3)._replace(detail=detail)
    (finding,) = found(_NEW, beside, committed(6, 5))
    assert (finding.rule, finding.evidence, finding.first_offset) == (_RULE, (4, 5, 6), 0)
    assert finding.text == (
        "a-0: client 'reader' committed offset 3 of group 'g' after 0, and 1 more since, and not in"
        " transaction 'svc', which it has begun since it last committed"
    )
    assert not rules_of(_NEW, committed(1, 3), beside)


def test_an_offset_that_is_still_pending_may_not_be_committed_outside() -> None:
    (finding,) = found(_NEW, pending(1, 5, 7), committed(2, 5))
    assert (finding.rule, finding.evidence, finding.first_offset) == (_RULE, (1, 2), 0)


def test_an_offset_that_is_committed_already_is_no_finding() -> None:
    assert not _outside(committed(3, 5))
    assert _outside(removed(3), committed(4, 5)) == [_RULE]


def test_an_offset_that_may_have_been_committed_before_the_evidence_is_no_finding() -> None:
    rows = pending(1, 7, 7), committed(2, 5)
    assert not rules_of(*rows)
    assert rules_of(*rows, committed(3, 6)) == [_RULE]
    created = an_event(0, "topic_created", partition=None)
    assert rules_of(created, *rows) == [_RULE]


def test_other_members_and_partitions_and_tools_are_no_finding() -> None:
    assert not _outside(committed(3, 8, member="n"))
    assert not _outside(committed(3, 8, member=None))
    assert not _outside(committed(3, 8)._replace(partition=1))
    assert not _outside(committed(3, 8)._replace(group="h"))


def test_a_member_may_begin_to_use_transactions() -> None:
    assert not rules_of(committed(1, 3), pending(2, 5, 7), applied(3, 5, 7))


def test_a_member_of_a_cluster_that_began_anew_is_another() -> None:
    anew = an_event(3, "event", partition=None)._replace(detail='{"event":"reset"}')
    assert not _outside(anew, committed(4, 8))
