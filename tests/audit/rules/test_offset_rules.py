from mockbroker.audit.rules.rule_table import TOPIC
from mockbroker.audit.source import Source
from tests.audit.rows import (
    an_event,
    batch,
    end_of,
    found,
    rules_of,
)

_ZERO = batch(1, offset=0, count=3, producer=(-1, -1))


def test_each_batch_begins_where_the_one_before_it_ended() -> None:
    assert not found(_ZERO, end_of(2, "COMMIT", offset=3), batch(3, offset=4, producer=(-1, -1)))


def test_a_gap_in_offsets_is_found() -> None:
    (finding,) = found(_ZERO, batch(4, offset=7, producer=(-1, -1)))
    assert finding.rule == "OFFSET_GAP_UNEXPLAINED"
    assert (finding.first_offset, finding.last_offset, finding.evidence) == (3, 6, (1, 4))


def test_repeated_offsets_are_explained_by_a_truncation() -> None:
    again = batch(4, offset=1, producer=(-1, -1))
    assert rules_of(_ZERO, again) == ["OFFSET_GAP_UNEXPLAINED"]
    assert not found(_ZERO, an_event(3, "truncation", offset=1), again)
    assert not found(_ZERO, again._replace(leader_epoch=1))


def test_a_log_may_begin_at_any_offset_even_after_its_topic_was_deleted() -> None:
    deleted = an_event(3, "topic_deleted", partition=None)
    assert not found(_ZERO, deleted, batch(4, offset=20, producer=(-1, -1)))


def test_an_isolated_leader_that_was_replaced_before_the_evidence_leaves_no_gap() -> None:
    later = batch(4, offset=7, producer=(-1, -1), leader_epoch=2)
    elected = an_event(3, "leader", leader_epoch=2)
    assert not found(_ZERO, later)
    assert not found(_ZERO, elected, later), "of the leader that had replaced it"


def test_a_gap_after_a_batch_of_a_leader_that_was_not_replaced_is_found() -> None:
    later = batch(4, offset=7, producer=(-1, -1), leader_epoch=2)
    created = an_event(0, "topic_created", partition=None)
    elected = an_event(2, "leader", leader_epoch=1), an_event(3, "leader", leader_epoch=2)
    for rows in ([created, _ZERO, later], [_ZERO, *elected, later], [elected[0], _ZERO, later]):
        assert rules_of(*rows) == ["OFFSET_GAP_UNEXPLAINED"]
    assert rules_of(_ZERO, later, source=Source(facts=TOPIC)) == ["OFFSET_GAP_UNEXPLAINED"]
    gone = an_event(5, "topic_deleted", partition=None)
    again = _ZERO._replace(seq=6), later._replace(seq=7)
    assert not found(elected[0], _ZERO, gone, *again)


def test_compaction_explains_missing_but_not_repeated_offsets() -> None:
    compacted = Source(compacted=frozenset({"a"}))
    later = batch(4, offset=7, producer=(-1, -1))
    assert not found(_ZERO, later, source=compacted)
    assert rules_of(_ZERO, later, batch(5, offset=3, producer=(-1, -1)), source=compacted)
