"""Folds that others lie between."""

import pytest

from mockbroker.audit.judgement import judge
from mockbroker.audit.runs.journal_runs import run_of
from mockbroker.audit.runs.run import Run, Stream, StreamKey
from mockbroker.journal.entry import Entry
from tests.support.audit_script import Script

LOG = StreamKey(Stream.LOG, "t", 0)
PRODUCER = StreamKey(Stream.PRODUCER, "t", 0, 7)
TRANSACTION = StreamKey(Stream.TRANSACTION, producer_id=9)


def log_fold(first_seq: int, last_seq: int) -> Run:
    return Run(
        Stream.LOG, "log", first_seq, last_seq, 1, 1, 2, "t", 0, base_offset=0, last_offset=9,
        log_end_offset=10, leader_epoch=0,
    )  # fmt: skip


def batch(seq: int, *, is_duplicate: bool = False) -> Run:
    entry = Entry(
        seq, "append", 1, 1, topic="t", partition=0, producer_id=7, producer_epoch=0,
        base_sequence=0, record_count=1, is_transactional=False, is_duplicate=is_duplicate,
        base_offset=10, last_offset=10, leader_epoch=0,
    )  # fmt: skip
    return run_of(entry)


def test_an_event_after_a_fold_is_decided() -> None:
    assert not judge([log_fold(1, 9), batch(10)]).undecided
    assert not judge([log_fold(1, 9), log_fold(10, 12)._replace(base_offset=10)]).undecided


def test_an_event_inside_a_fold_leaves_its_stream_undecided() -> None:
    assert LOG in judge([log_fold(1, 9), batch(5)]).undecided
    assert LOG in judge([log_fold(1, 9), log_fold(5, 12)]).undecided


def test_a_retry_does_not_count_in_the_stream_of_its_log() -> None:
    assert not judge([log_fold(1, 9), batch(5, is_duplicate=True)]).undecided


def test_a_batch_inside_a_fold_of_its_producer_leaves_it_undecided() -> None:
    fold = log_fold(1, 9)._replace(
        stream=Stream.PRODUCER, kind="producer", producer_id=7, producer_epoch=0,
        last_producer_epoch=0, base_sequence=0, next_sequence=3, record_count=3,
    )  # fmt: skip
    assert judge([fold, batch(5)]).undecided == {PRODUCER}


@pytest.mark.parametrize("kind", ["marker", "transaction"])
def test_events_of_a_transaction_inside_its_fold_leave_it_undecided(kind: str) -> None:
    script = Script()
    script.transaction(0)
    fold = Run(
        Stream.TRANSACTION, "transaction", 0, 99, 1, 1, 9, producer_id=9, producer_epoch=0,
        last_producer_epoch=0, transactional_id="tx", state_before="Empty",
        state_after="CompleteCommit", coordinator_epoch=0,
    )  # fmt: skip
    single = next(each for each in script.entries if each.kind == kind)
    assert TRANSACTION in judge([fold, run_of(single)]).undecided
