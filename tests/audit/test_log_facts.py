import pytest

from mockbroker.audit.log_facts import DISCARDED, LogFacts, as_logged
from tests.audit.rows import an_event, batch

_A = ("a", 0)


def test_a_log_that_begins_at_zero_or_was_made_is_known_from_its_beginning() -> None:
    logs = LogFacts()
    logs.see(batch(1, offset=0))
    logs.see(batch(2, offset=9, partition=1))
    assert logs.begins(_A)
    assert not logs.begins(("a", 1))
    logs.see(an_event(3, "topic_deleted", partition=None))
    assert not logs.begins(_A)
    logs.see(an_event(4, "topic_created", partition=None))
    logs.see(batch(5, offset=9, partition=1))
    assert logs.begins(("a", 1))
    assert logs.is_created("a")
    assert not logs.is_created("b")


@pytest.mark.parametrize("kind", ["truncation", "log_start"])
def test_a_log_whose_first_row_removes_records_had_some_before(kind: str) -> None:
    logs = LogFacts()
    logs.see(an_event(1, kind, offset=0))
    logs.see(batch(2, offset=0))
    assert not logs.begins(_A)
    logs.see(an_event(3, "topic_created", partition=None))
    logs.see(an_event(4, kind, partition=1, offset=0))
    logs.see(batch(5, offset=0, partition=1))
    assert logs.begins(("a", 1))


def test_a_log_after_elections_that_are_not_known_may_have_had_other_batches() -> None:
    late = batch(4, offset=0, leader_epoch=2)
    for elected, begins in (((), False), ((2,), False), ((1, 2), True)):
        logs = LogFacts()
        for leader_epoch in elected:
            logs.see(an_event(leader_epoch, "leader", leader_epoch=leader_epoch))
        logs.see(late)
        assert logs.begins(_A) is begins
        assert logs.has_elections(_A, 0) is begins
        assert logs.has_elections(_A, 1) is bool(elected)
    logs.see(an_event(5, "topic_deleted", partition=None))
    assert not logs.has_elections(_A, 1)


def test_a_new_leader_with_a_shorter_log_implies_a_truncation() -> None:
    logs = LogFacts()
    assert logs.see(batch(1, offset=0, count=3)) is None
    cut = logs.see(batch(2, offset=1, leader_epoch=1))
    assert cut is not None
    assert (cut.kind, cut.log_end_offset, cut.seq) == ("truncation", 1, 2)
    assert logs.see(batch(3, offset=2, leader_epoch=1)) is None
    logs.see(an_event(4, "truncation", offset=0))
    assert logs.see(batch(5, offset=0, leader_epoch=2)) is None


def test_an_isolated_leader_without_a_successor_is_not_stale() -> None:
    logs = LogFacts()
    logs.see(batch(1, offset=0))
    logs.see(an_event(2, "leader", leader_epoch=1)._replace(broker=-1))
    kept = batch(3, offset=1)
    logs.see(kept)
    assert not logs.is_stale(kept)
    logs.see(an_event(4, "leader", leader_epoch=2)._replace(broker=1))
    assert logs.see(batch(5, offset=2, leader_epoch=2)) is None
    logs.see(an_event(6, "leader", leader_epoch=3)._replace(broker=2))
    cut = logs.see(batch(7, offset=1, leader_epoch=3))
    assert cut is not None
    assert cut.log_end_offset == 1


def test_a_leader_that_was_replaced_writes_no_part_of_the_log() -> None:
    logs = LogFacts()
    first = batch(1, offset=0)
    logs.see(first)
    logs.see(an_event(2, "leader", leader_epoch=1))
    late = batch(3, offset=1)
    logs.see(late)
    assert logs.is_stale(late)
    assert not logs.is_stale(batch(4, offset=1, leader_epoch=1))
    assert not logs.is_stale(late._replace(leader_epoch=None))


def test_a_leader_may_be_replaced_before_it_has_written() -> None:
    logs = LogFacts()
    logs.see(an_event(1, "leader", leader_epoch=1)._replace(broker=2))
    private = batch(2, offset=0)
    logs.see(private)
    assert logs.is_stale(private)
    assert not logs.begins(_A)
    assert logs.see(batch(3, offset=0, leader_epoch=1)) is None
    logs.see(an_event(4, "topic_deleted", partition=None))
    assert not logs.is_stale(batch(5, offset=0))


def test_only_the_rows_of_a_replica_name_a_leader_epoch_of_a_truncation() -> None:
    cut = an_event(1, "truncation", offset=1)
    assert as_logged(cut) == cut
    own = cut._replace(leader_epoch=0, broker=1)
    assert as_logged(own).kind == DISCARDED
    assert as_logged(batch(2, offset=0)) == batch(2, offset=0)


def test_a_batch_without_a_producer_is_in_no_transaction() -> None:
    nobodys = batch(2, offset=0, producer=(-1, -1), transactional=True)
    assert as_logged(nobodys) == nobodys._replace(is_transactional=False)
    some = batch(2, offset=0, transactional=True)
    assert as_logged(some) == some


def test_after_a_reset_all_logs_are_known_from_their_beginning() -> None:
    logs = LogFacts(is_whole=True)
    assert logs.is_created("a")
    assert logs.see(batch(3, offset=7)) is None
    assert logs.begins(("a", 0))


def test_a_log_starts_where_its_batches_say_until_records_are_removed() -> None:
    logs = LogFacts()
    assert (logs.start(_A), logs.end(_A)) == (None, None)
    logs.see(batch(1, offset=0, count=3))
    assert (logs.start(_A), logs.end(_A)) == (0, 3)
    logs.see(an_event(2, "log_start", offset=2))
    assert (logs.start(_A), logs.end(_A)) == (2, 3)
    logs.see(an_event(3, "topic_deleted", partition=None))
    assert logs.start(_A) is None
