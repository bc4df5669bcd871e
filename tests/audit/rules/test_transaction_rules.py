import pytest

from mockbroker.audit.judgement import judge
from mockbroker.audit.rules.rule_table import TOPIC
from mockbroker.audit.runs.run import Run
from mockbroker.audit.source import Source
from tests.audit.rows import (
    an_event,
    asked,
    batch,
    end_of,
    found,
    rules_of,
    transition,
)

_GIVEN = transition(1, "Empty", "Empty", api="InitProducerId")
_BEGUN = transition(2, "Empty", "Ongoing", partitions=["a-0"], api="AddPartitionsToTxn")


def _batch(seq: int, sequence: int, offset: int, producer: tuple[int, int] = (7, 0)) -> Run:
    return batch(seq, sequence, offset=offset, producer=producer, transactional=True)


def _ends(
    seq: int,
    how: str,
    offset: int,
    *,
    partitions: tuple[str, ...] = ("a-0",),
    producer: tuple[int, int] = (7, 0),
    api: str | None = "EndTxn",
) -> list[Run]:
    """End the transaction: decision, marker in a-0, completion."""
    prepared = f"Prepare{how}"
    return [
        transition(seq, "Ongoing", prepared, partitions=partitions, producer=producer, api=api),
        end_of(seq + 1, how.upper(), offset=offset, producer=producer),
        transition(seq + 2, prepared, f"Complete{how}", producer=producer),
    ]


_WHOLE = [_GIVEN, _BEGUN, _batch(3, 0, 0), *_ends(4, "Abort", 1)]
_NEXT = transition(10, "CompleteAbort", "Ongoing", partitions=["a-0"], api="AddPartitionsToTxn")


def test_whole_transactions_are_clean() -> None:
    assert not found(*_WHOLE, _NEXT, _batch(11, 1, 2), *_ends(12, "Commit", 3))


def test_a_batch_after_the_marker_that_the_next_transaction_commits_is_found() -> None:
    late = _batch(8, 1, 2)
    (finding,) = found(*_WHOLE, late, _NEXT, *_ends(12, "Commit", 3))
    assert (finding.rule, finding.first_offset) == ("APPEND_AFTER_MARKER", 2)
    assert finding.evidence == (4, 8)
    text = "arrived after 'svc' had aborted, and is committed with the next transaction"
    assert finding.text.endswith(text)


def test_a_late_batch_of_an_aborted_transaction_that_is_aborted_is_no_finding() -> None:
    assert not found(*_WHOLE, _batch(8, 1, 2), _NEXT, *_ends(12, "Abort", 3))
    committed = [_GIVEN, _BEGUN, _batch(3, 0, 0), *_ends(4, "Commit", 1)]
    begun = transition(10, "CompleteCommit", "Ongoing", partitions=["a-0"], api="Produce")
    rows = [*committed, _batch(8, 1, 2), begun, *_ends(12, "Abort", 3)]
    (finding,) = found(*rows)
    assert finding.rule == "APPEND_AFTER_MARKER"
    assert finding.text.endswith("arrived after 'svc' had committed, and is aborted")


def test_a_batch_sent_before_an_abort_and_appended_to_the_next_transaction_is_found() -> None:
    sent = asked(3, "Produce", call=5, topic="a", partition=0, is_transactional=True)
    late = _batch(11, 1, 2)._replace(call=5)
    rows = [*_WHOLE, sent, _NEXT, late, *_ends(12, "Commit", 3)]
    (finding,) = found(*rows)
    assert finding.rule == "APPEND_AFTER_MARKER"
    assert "was sent before 'svc' aborted, arrived after it, and is committed" in finding.text
    in_time = sent._replace(seq=9)
    assert not rules_of(*_WHOLE, in_time, _NEXT, late, *_ends(12, "Commit", 3))


def test_a_transaction_that_no_coordinator_knows_hangs() -> None:
    (finding,) = found(*_WHOLE, _batch(8, 1, 2))
    assert (finding.rule, finding.first_offset) == ("HANGING_TXN", 2)


def test_a_journal_may_end_in_a_transaction() -> None:
    rows = [_GIVEN, _BEGUN, _batch(3, 0, 0), *_ends(4, "Commit", 1)]
    for end in range(len(rows) + 1):
        assert not found(*rows[:end])


def test_without_a_known_coordinator_only_transactions_of_a_new_topic_hang() -> None:
    verdict = judge([_batch(3, 0, 0)])
    assert not verdict.findings
    assert "whether a coordinator knows the transaction of producer 7" in verdict.unknown[0]
    created = an_event(1, "topic_created", partition=None)
    assert rules_of(created, _batch(3, 0, 0)) == ["HANGING_TXN"]


def test_a_fenced_writer_is_found_unless_it_is_taken_back() -> None:
    taken_over = transition(8, "CompleteAbort", "Empty", producer=(7, 1), api="InitProducerId")
    zombie = _batch(9, 1, 2)
    begun = transition(
        10, "Empty", "Ongoing", partitions=["a-0"], producer=(7, 1), api="AddPartitionsToTxn"
    )
    rows = [*_WHOLE, taken_over, zombie, begun]
    (finding,) = found(*rows, *_ends(12, "Commit", 3, producer=(7, 1)))
    assert (finding.rule, finding.evidence) == ("ZOMBIE_WRITE_ACCEPTED", (8, 9))
    assert not found(*rows, *_ends(12, "Abort", 3, producer=(7, 1)))
    assert rules_of(*rows) == ["ZOMBIE_WRITE_ACCEPTED"]


def test_a_batch_that_the_fencing_abort_covers_is_no_zombie() -> None:
    rows = [_GIVEN, _BEGUN, _batch(3, 0, 0)]
    fenced = _ends(4, "Abort", 2, producer=(7, 1), api="InitProducerId")
    in_between = _batch(5, 1, 1)
    marker = fenced[1]._replace(seq=6)
    ended = fenced[2]._replace(seq=7)
    assert not found(*rows, fenced[0], in_between, marker, ended)


def test_an_epoch_bump_of_each_transaction_fences_no_producer() -> None:
    bumped = [_GIVEN, _BEGUN, _batch(3, 0, 0), *_ends(4, "Abort", 1, producer=(7, 1))]
    assert not found(*bumped)
    begun = transition(
        10, "CompleteAbort", "Ongoing", partitions=["a-0"], producer=(7, 1), api="Produce"
    )
    late = [*bumped, _batch(8, 1, 2), begun, *_ends(12, "Commit", 3, producer=(7, 2))]
    assert rules_of(*late) == ["APPEND_AFTER_MARKER"]


def test_a_producer_id_that_another_succeeds_is_fenced() -> None:
    other = transition(8, "CompleteAbort", "Empty", producer=(9, 0), api="InitProducerId")
    (finding,) = found(*_WHOLE, other, _batch(9, 1, 2))
    assert finding.rule == "ZOMBIE_WRITE_ACCEPTED"
    assert finding.rules == {"HANGING_TXN", "ZOMBIE_WRITE_ACCEPTED"}


@pytest.mark.parametrize("marker", ["COMMIT", "ABORT"])
def test_a_marker_without_a_decision_is_found(marker: str) -> None:
    rows = [_GIVEN, _BEGUN, _batch(3, 0, 0), end_of(4, marker, offset=1)]
    assert rules_of(*rows) == ["MARKER_WITHOUT_TXN"]


def test_a_marker_of_the_other_kind_is_found() -> None:
    prepared, marker, complete = _ends(4, "Abort", 1)
    rows = [_GIVEN, _BEGUN, _batch(3, 0, 0), prepared, marker._replace(marker="COMMIT"), complete]
    assert rules_of(*rows) == ["MARKER_WITHOUT_TXN"]


def test_a_partition_that_got_no_data_gets_its_marker_all_the_same() -> None:
    begun = _BEGUN._replace(detail='{"partitions":["a-0","a-1"]}')
    rows = [_GIVEN, begun, _batch(3, 0, 0), *_ends(4, "Commit", 1, partitions=("a-0", "a-1"))]
    empty = end_of(5, "COMMIT", offset=0, partition=1)
    assert not found(*rows, empty)


def test_a_manual_abort_ends_a_hanging_transaction() -> None:
    by_hand = end_of(9, "ABORT", offset=3, api="WriteTxnMarkers")
    assert not found(*_WHOLE, _batch(8, 1, 2), by_hand)
    committed = [_GIVEN, _BEGUN, _batch(3, 0, 0), *_ends(4, "Commit", 1)]
    assert not found(*committed[:-2], *committed[-2:], by_hand._replace(base_offset=2, last_offset=2
    ), source=Source(facts=TOPIC))  # fmt: skip
    assert rules_of(*committed, by_hand._replace(base_offset=2, last_offset=2)) == [
        "MARKER_WITHOUT_TXN"
    ]


def test_a_second_marker_is_found_unless_another_coordinator_sends_it() -> None:
    again = end_of(9, "ABORT", offset=2)
    assert rules_of(*_WHOLE, again) == ["DOUBLE_MARKER"]
    assert not found(*_WHOLE, again._replace(coordinator_epoch=1))


@pytest.mark.parametrize(
    "gone", [an_event(9, "truncation", offset=2), an_event(9, "topic_deleted", partition=None)]
)
def test_deleted_batches_neither_hang_nor_are_late(gone: Run) -> None:
    assert not found(*_WHOLE, _batch(8, 1, 2), gone)


def test_batches_before_a_truncation_still_hang() -> None:
    rows = [*_WHOLE, _batch(8, 1, 2), _batch(9, 2, 3), an_event(10, "truncation", offset=3)]
    assert rules_of(*rows) == ["HANGING_TXN"]


def test_an_expired_producer_no_longer_blocks_readers_of_its_late_batch() -> None:
    forgotten = an_event(9, "producer_expired", producer_id=7)
    assert rules_of(*_WHOLE, _batch(8, 1, 2), forgotten) == ["APPEND_AFTER_MARKER"]
    assert not found(_GIVEN, _BEGUN, _batch(3, 0, 0), forgotten)


def test_hanging_transactions_are_not_found_from_a_topic_alone() -> None:
    rows = [_batch(3, 0, 0), end_of(4, "ABORT", offset=1), _batch(5, 1, 2)]
    assert not found(*rows, source=Source(facts=TOPIC))


def test_a_batch_whose_partition_is_added_later_belongs_to_the_transaction() -> None:
    begun = _BEGUN._replace(detail='{"partitions":["a-1"]}')
    rows = [_GIVEN, begun, _batch(3, 0, 0)]
    assert not found(*rows, *_ends(4, "Commit", 1, partitions=("a-0", "a-1")))
    assert rules_of(*rows) == ["HANGING_TXN"]


def test_a_transaction_that_is_open_at_the_end_is_named_and_no_finding() -> None:
    prepared = transition(12, "Ongoing", "PrepareCommit", partitions=["a-0"], api="EndTxn")
    for more, state in (([], "Ongoing"), ([prepared], "PrepareCommit")):
        verdict = judge([*_WHOLE, _NEXT, _batch(11, 1, 2), *more])
        assert not verdict.findings
        assert verdict.open_transactions == (f"svc ({state}, producer 7)",)
    assert judge(_WHOLE).open_transactions == ()


def test_a_transaction_whose_id_continues_with_another_producer_id_is_not_open() -> None:
    begun = transition(2, "Empty", "Ongoing", partitions=["a-0"], producer=(7, 32_766))
    fenced = transition(3, "Ongoing", "Empty", producer=(8, 0), api="InitProducerId")
    assert judge([begun, fenced]).open_transactions == ()


def test_a_transaction_is_open_again_if_its_marker_is_truncated() -> None:
    whole = [_GIVEN, _BEGUN, _batch(3, 0, 0), *_ends(4, "Commit", 1)]
    again = [_NEXT, _batch(11, 1, 2), *_ends(12, "Commit", 3)]
    (finding,) = found(*whole, *again, an_event(20, "truncation", offset=1))
    assert (finding.rule, finding.first_offset) == ("HANGING_TXN", 0)
    (finding,) = found(*whole, *again, an_event(20, "truncation", offset=3))
    assert (finding.rule, finding.first_offset) == ("HANGING_TXN", 2)
    for offset in (0, 2, 4):
        assert not found(*whole, *again, an_event(20, "truncation", offset=offset))
    deleted = an_event(20, "topic_deleted", partition=None)
    assert not found(*whole, deleted, an_event(21, "truncation", offset=1))


def test_what_coordinators_knew_may_be_lost_with_the_end_of_their_log() -> None:
    whole = [_GIVEN, _BEGUN, _batch(3, 0, 0), *_ends(4, "Commit", 1)]
    lost = an_event(20, "truncation", offset=9)._replace(topic="__transaction_state")
    verdict = judge([*whole, lost, an_event(21, "truncation", offset=1)])
    assert verdict.findings == ()
    assert "whether a coordinator knows the transaction of producer 7" in verdict.unknown[0]
    known = transition(22, "Ongoing", "PrepareAbort", partitions=["b-0"])
    (finding,) = found(*whole, lost, an_event(21, "truncation", offset=1), known)
    assert finding.rule == "HANGING_TXN"
