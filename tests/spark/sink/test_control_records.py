"""Records of the control topic."""

import msgspec
import pytest

from mockbroker.spark.sink.control_records import (
    BatchIdentity,
    ControlRecord,
    DecidedBatch,
    EndedBatch,
    Opened,
    TaskTransaction,
    Written,
    decode,
    encode,
    key_of,
)

TRANSACTION = TaskTransaction(
    transactional_id="sink-a-1", producer_id=7, producer_epoch=1, task=2, attempt=0
)
WRITTEN = Written(transaction=TRANSACTION, ranges={"orders-0": (5, 9, 5)})
IDENTITY = BatchIdentity("q", "3")
RECORDS: list[ControlRecord] = [
    Opened(prefix="sink", transaction=TRANSACTION),
    DecidedBatch(prefix="sink", identity=IDENTITY, since=4, written=(WRITTEN,)),
    EndedBatch(prefix="sink", identity=IDENTITY, since=4, is_done=True, committed=(TRANSACTION,)),
]


@pytest.mark.parametrize("record", RECORDS)
def test_a_record_is_read_as_it_was_written(record: ControlRecord) -> None:
    assert decode(encode(record)) == record


def test_compaction_keeps_the_state_of_a_sink_and_the_last_use_of_an_id() -> None:
    assert [key_of(each) for each in RECORDS] == [
        b"opened/sink-a-1",
        b"state/sink",
        b"state/sink",
    ]


def test_another_record_is_refused() -> None:
    with pytest.raises(msgspec.MsgspecError):
        decode(b'{"type":"another"}')


def test_errors_name_batches_and_tasks() -> None:
    assert str(IDENTITY) == "batch 3 of query q"
    assert str(BatchIdentity("", "monday")) == "save monday"
    assert str(TRANSACTION) == "task 2, attempt 0, as sink-a-1 (producer 7:1)"
