"""A run of produced batches, and each of them."""

from mockbroker.events.event_types import BatchProduced, RunProduced, Sender
from mockbroker.journal.files.produced import produced_run
from mockbroker.state.events import LogPosition

SENDER = Sender(1, 2, "me", 9, -1, None, "orders")


def log(last_stable_offset: int, high_watermark: int, log_end_offset: int) -> LogPosition:
    return LogPosition("orders", 0, 1, 0, 0, last_stable_offset, high_watermark, log_end_offset)


def run(position: LogPosition, producer_id: int = 4_000) -> RunProduced:
    return RunProduced(
        10,
        [5, 6, 7],
        SENDER,
        producer_id,
        1,
        20 if producer_id >= 0 else -1,
        [0, 0, 0],
        40,
        [],
        [71, 72, 73],
        position,
    )


def test_each_batch_of_a_run_counts_on() -> None:
    whole = produced_run(run(log(43, 43, 43)))
    last = whole.one(2)
    assert (last.first_number, list(last.correlation_ids)) == (12, [7])
    assert (last.base_sequence, last.base_offset) == (22, 42)
    assert list(last.crcs) == [73]
    assert whole.one(0).log == log(41, 41, 41)
    assert last.log == log(43, 43, 43)


def test_offsets_that_do_not_follow_the_end_stay() -> None:
    whole = produced_run(run(log(12, 40, 43)))
    assert whole.follows == (False, False)
    assert whole.one(0).log == log(12, 40, 41)


def test_without_a_producer_there_are_no_sequences() -> None:
    assert produced_run(run(log(43, 43, 43), producer_id=-1)).one(2).base_sequence == -1


def test_a_batch_is_a_run_of_one() -> None:
    fields = (0, 99, -1, 2, 77, 0x10, 4, 0, 0, 4_000, 1, 20, 5)
    batch = BatchProduced(10, 3, SENDER, fields, 40, log(40, 45, 45))
    whole = produced_run(batch)
    assert whole.is_transactional
    assert (whole.record_count, whole.one(0)) == (5, whole)
    assert whole.crcs == (77,)
    assert whole.kinds == ("request", "append", "answer")
    assert whole._replace(sender=SENDER._replace(acks=0)).kinds == ("request", "append")
