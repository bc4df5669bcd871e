"""Folding of regular events to few runs; all other events stay unfolded."""

import random
from collections.abc import Callable

import pytest

pytest.importorskip("pyarrow", reason="folding needs the extra spark")

from mockbroker.audit.folding.folding import fold
from mockbroker.audit.runs.journal_runs import journal_runs
from mockbroker.audit.runs.run import (
    Run,
    Stream,
    StreamKey,
    sort_key,
)
from mockbroker.audit.runs.run_table import runs_of
from mockbroker.journal.entry import Entry
from mockbroker.protocol.errors import ErrorCode
from tests.support.audit_script import ABORT, Script
from tests.support.folds import (
    folded,
    folded_in_parts,
    run_rows,
    singles,
    streams_of,
)


def idempotent(count: int = 5) -> Script:
    script = Script()
    for _ in range(count):
        script.produce(0, record_count=3)
        script.produce(1, producer_id=8)
    return script


def transactions(*, bump: int = 0) -> Script:
    script = Script()
    state = "Empty"
    for number in range(4):
        state = script.transaction(
            0, 1, before=state, marker=ABORT if number == 2 else "COMMIT", epoch=number * bump,
            bump=bump, batches=2,
        )  # fmt: skip
    return script


def test_batches_of_idempotent_producers_become_one_run_a_log_and_one_a_producer() -> None:
    runs = folded(idempotent().entries)
    assert streams_of(runs) == {Stream.LOG: 2, Stream.PRODUCER: 2}
    (producer,) = (run for run in runs if run.stream == Stream.PRODUCER and run.producer_id == 7)
    assert (producer.base_sequence, producer.next_sequence, producer.record_count) == (0, 15, 15)
    assert (producer.base_offset, producer.last_offset, producer.events) == (0, 14, 5)
    (log,) = (run for run in runs if run.place == ("t", 0) and run.stream == Stream.LOG)
    assert (log.base_offset, log.log_end_offset, log.events, log.longest_ms) == (0, 15, 5, 0)
    assert (log.first_seq, log.last_seq) == (2, 26)


@pytest.mark.parametrize("bump", [0, 1])
def test_whole_transactions_become_one_run_with_their_markers(bump: int) -> None:
    runs = folded(transactions(bump=bump).entries)
    assert streams_of(runs) == {Stream.LOG: 2, Stream.PRODUCER: 2, Stream.TRANSACTION: 1}
    (whole,) = (run for run in runs if run.stream == Stream.TRANSACTION)
    assert (whole.producer_epoch, whole.last_producer_epoch) == (0, 4 * bump)
    assert (whole.state_before, whole.state_after) == ("Empty", "CompleteCommit")
    assert whole.events == 4 * (3 + 4 + 2)
    assert whole.transactional_id == "tx"
    producer = next(run for run in runs if run.stream == Stream.PRODUCER)
    assert producer.next_sequence == (2 if bump else 8)


@pytest.mark.parametrize("make", [idempotent, transactions])
def test_a_journal_folds_the_same_however_it_is_cut_and_shuffled(
    make: Callable[[], Script],
) -> None:
    entries = make().entries
    whole = folded(entries)
    draw = random.Random(1)
    for _ in range(20):
        cuts = sorted(draw.sample(range(len(entries)), 3))
        bounds = zip([0, *cuts], [*cuts, len(entries)], strict=True)
        parts = [entries[begin:end] for begin, end in bounds]
        for part in parts:
            draw.shuffle(part)
        draw.shuffle(parts)
        assert folded_in_parts(parts) == whole


def test_rows_that_alternate_between_parts_fold() -> None:
    entries = [*idempotent().entries]
    assert folded_in_parts([entries[::2], entries[1::2]]) == folded(entries)


def test_folding_again_changes_nothing() -> None:
    table = fold(run_rows(transactions().entries))
    assert sorted(runs_of(fold(table)), key=sort_key) == sorted(runs_of(table), key=sort_key)


def test_events_of_a_requested_stream_stay_unfolded_in_all_their_streams() -> None:
    entries = transactions().entries
    without_dictionaries = sorted(journal_runs(entries), key=sort_key)
    by_producer = fold(run_rows(entries), {StreamKey(Stream.TRANSACTION, producer_id=9)})
    assert sorted(runs_of(by_producer), key=sort_key) == without_dictionaries
    by_place = fold(run_rows(entries), {StreamKey(Stream.LOG, "t", 1)})
    assert sorted(runs_of(by_place), key=sort_key) == without_dictionaries
    elsewhere = fold(run_rows(entries), {StreamKey(Stream.LOG, "t", 5)})
    assert not singles(runs_of(elsewhere))


def single_kinds(script: Script) -> list[str]:
    return [run.kind for run in singles(folded(script.entries))]


def test_a_batch_whose_answer_is_missing_stays_with_its_request() -> None:
    script = idempotent()
    del script.entries[-1]
    assert single_kinds(script) == ["request", "append"]


def test_a_batch_without_acks_folds_without_an_answer() -> None:
    script = idempotent()
    script.produce(0, acks=0)
    assert not single_kinds(script)


@pytest.mark.parametrize("error", [ErrorCode.REQUEST_TIMED_OUT, ErrorCode.NOT_LEADER_OR_FOLLOWER])
def test_a_batch_that_was_answered_with_an_error_stays(error: ErrorCode) -> None:
    script = idempotent()
    script.produce(0, error=error)
    assert single_kinds(script) == ["request", "append", "answer"]


def test_a_gap_and_a_duplicate_stay_unfolded_and_later_batches_fold() -> None:
    for sequence in (20, 3):
        script = idempotent()
        script.produce(0, base_sequence=sequence, record_count=2)
        script.produce(0, base_sequence=22 if sequence == 20 else 15)
        found = singles(folded(script.entries))
        assert [run.base_sequence for run in found] == [sequence] * 3


def test_a_duplicate_of_two_batches_is_two_singles() -> None:
    script = idempotent()
    for sequence in (9, 12):
        script.produce(0, base_sequence=sequence, record_count=3)
    found = singles(folded(script.entries))
    assert {run.base_sequence for run in found} == {9, 12}


def test_sequences_fold_across_the_wrap() -> None:
    script = Script()
    script.produce(0, base_sequence=(1 << 31) - 3, record_count=2)
    script.produce(0, record_count=4)
    script.produce(0)
    assert not single_kinds(script)
    producer = next(run for run in folded(script.entries) if run.stream == Stream.PRODUCER)
    assert producer.next_sequence == 4


def test_a_gap_in_offsets_stays() -> None:
    script = idempotent()
    batch = script.batch(0)
    call = script.request(0, **batch)
    base = script.append(0, call=call, jump=4, **batch)
    script.answer(0, call=call, base_offset=base, **batch)
    assert single_kinds(script) == ["request", "append", "answer"]


def with_transaction(change: Callable[[Script], None]) -> list[str]:
    """Return the kinds of the unfolded runs of a fifth transaction."""
    script = transactions()
    begin = len(script.entries)
    script.begin(0, before="CompleteCommit")
    script.write(0)
    change(script)
    return [run.kind for run in singles(folded(script.entries)) if run.first_seq > begin]


WRITTEN = ["transaction", "request", "append", "answer"]
ENDED = ["transaction", "answer", "marker", "transaction"]


def test_an_open_transaction_stays_unfolded() -> None:
    assert with_transaction(lambda _: None) == WRITTEN


def test_a_partition_that_was_added_and_not_written_to_is_regular() -> None:
    def change(script: Script) -> None:
        script.finish(0, 3)

    assert not with_transaction(change)


def test_a_transaction_with_two_markers_in_a_partition_stays_unfolded() -> None:
    def change(script: Script) -> None:
        script.finish(0, 0)

    assert with_transaction(change).count("marker") == 2


def test_a_transaction_without_its_marker_stays_unfolded() -> None:
    def change(script: Script) -> None:
        script.finish(0)
        script.entries = [each for each in script.entries if each.seq != len(script.entries) - 1]

    assert with_transaction(change) == [*WRITTEN, "transaction", "answer", "transaction"]


def test_a_transaction_with_the_wrong_marker_stays_unfolded() -> None:
    def change(script: Script) -> None:
        script.finish(0)
        at = next(i for i in reversed(range(len(script.entries))) if script.entries[i].marker)
        script.entries[at] = script.entries[at]._replace(marker=ABORT)

    assert with_transaction(change) == [*WRITTEN, *ENDED]


def test_an_abort_without_a_request_stays_unfolded() -> None:
    def change(script: Script) -> None:
        script.transition("Ongoing", "PrepareAbort", 0, producer_epoch=1)
        script.marker(0, ABORT, producer_epoch=1)
        script.transition("PrepareAbort", "CompleteAbort", producer_epoch=1)

    assert with_transaction(change) == [*WRITTEN, "transaction", "marker", "transaction"]


def test_a_batch_that_was_sent_before_its_transaction_began_stays() -> None:
    script = Script()
    batch = script.batch(
        0, producer_id=9, is_transactional=True, transactional_id="tx", record_count=1
    )
    call = script.request(0, **batch)
    script.begin(0)
    base = script.append(0, call=call, **batch)
    script.answer(0, call=call, base_offset=base, **batch)
    script.finish(0)
    assert "append" in single_kinds(script)


def test_a_batch_that_begins_its_transaction_itself_folds() -> None:
    script = Script()
    batch = script.batch(
        0, producer_id=9, is_transactional=True, transactional_id="tx", record_count=1
    )
    call = script.request(0, **batch)
    script.transition("Empty", "Ongoing", 0, call=call)
    base = script.append(0, call=call, **batch)
    script.answer(0, call=call, base_offset=base, **batch)
    script.finish(0)
    assert not single_kinds(script)


def test_a_batch_outside_of_transactions_stays_with_the_transaction_before_it() -> None:
    script = transactions()
    script.write(0)
    kinds = single_kinds(script)
    assert kinds[-3:] == ["request", "append", "answer"]
    assert kinds.count("transaction") == 3
    assert streams_of(folded(script.entries))[Stream.TRANSACTION] == 1


def test_a_stable_offset_beyond_an_open_transaction_stays() -> None:
    script = Script()
    script.begin(0)
    script.write(0)
    script.produce(0)
    script.produce(0)
    entries = script.entries
    at = [i for i, entry in enumerate(entries) if entry.kind == "append"][-1]
    entries[at] = entries[at]._replace(last_stable_offset=3)
    script.finish(0)
    assert [run.first_seq for run in singles(folded(entries)) if run.kind == "append"] == [at + 1]


def test_truncated_batches_stay_unfolded() -> None:
    script = idempotent()
    script.row("truncation", topic="t", partition=0, log_end_offset=9)
    offsets = [run.base_offset for run in singles(folded(script.entries)) if run.kind == "append"]
    assert offsets == [9, 12]


def test_batches_are_not_folded_across_an_event_of_their_partition() -> None:
    script = idempotent(2)
    script.row("leader", topic="t", partition=0, leader_epoch=0, broker=1)
    script.produce(0, record_count=3)
    runs = [run for run in folded(script.entries) if run.stream != Stream.EVENT]
    assert [run.events for run in runs if run.place == ("t", 0)].count(2) == 2
    assert sum(run.place == ("t", 1) for run in runs) == 2


def test_batches_of_a_former_leader_stay_unfolded() -> None:
    script = idempotent(2)
    script.row("leader", topic="t", partition=0, leader_epoch=1, broker=2)
    script.produce(0)
    assert single_kinds(script) == ["leader", "request", "append", "answer"]


def test_a_fold_has_the_longest_time_that_its_stable_offset_stood_still() -> None:
    script = Script()
    script.begin(0)
    script.write(0)
    since_ms = script.now_ms - 1
    script.produce(0)
    script.now_ms += 5_000
    script.produce(0)
    last_ms = script.now_ms - 1
    script.finish(0)
    runs = [run for run in folded(script.entries) if run.stream == Stream.LOG]
    (log,) = runs
    assert log.longest_ms is not None
    assert last_ms - since_ms <= log.longest_ms <= script.now_ms - since_ms
    assert log.stuck_since_seq is None


def rows_as_runs(entries: list[Entry]) -> list[Run]:
    return sorted(runs_of(run_rows(entries)), key=sort_key)


def test_rows_in_tables_are_the_runs_of_entries() -> None:
    for script in (idempotent(), transactions()):
        assert rows_as_runs(script.entries) == sorted(journal_runs(script.entries), key=sort_key)


def test_batches_without_a_producer_fold_except_for_repeated_ones() -> None:
    script = Script()
    for number in range(6):
        script.produce(0, producer_id=-1)
        at = len(script.entries) - 2
        script.entries[at] = script.entries[at]._replace(crc=number % 5)
    found = [run for run in singles(folded(script.entries)) if run.kind == "append"]
    assert [run.crc for run in found] == [0, 0]
    script.entries = [each._replace(crc=None) for each in script.entries]
    assert streams_of(folded(script.entries)) == {Stream.LOG: 1}


def test_offsets_committed_in_transactions_fold_without_sequences() -> None:
    script = Script()
    for _ in range(3):
        script.produce(0, topic="__consumer_offsets", base_sequence=0)
    assert streams_of(folded(script.entries)) == {Stream.LOG: 1, Stream.PRODUCER: 1}


def test_no_entries_fold_to_no_runs() -> None:
    assert folded([]) == []
