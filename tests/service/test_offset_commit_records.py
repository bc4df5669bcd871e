"""The records that hold what groups commit."""

from uuid import UUID

import pytest

from mockbroker.offset_commit_records import (
    NOBODY,
    OffsetToCommit,
    TransactionalProducer,
    build_offset_commits,
)
from mockbroker.protocol.codec import decode
from mockbroker.protocol.log_records.offset_commit import OffsetCommitKey, OffsetCommitValue
from mockbroker.protocol.records.batch import records_of
from mockbroker.protocol.types import TopicPartition
from tests.service.support.in_process import NOW_MS

OFFSETS = [
    OffsetToCommit(TopicPartition("orders", index), UUID(int=7), 10 + index, 3, "m")
    for index in (0, 4)
]


@pytest.mark.parametrize("value_version", [1, 3, 4])
def test_there_is_one_record_for_each_offset(value_version: int) -> None:
    header, batch = build_offset_commits(
        "readers", OFFSETS, NOBODY, value_version=value_version, now_ms=NOW_MS
    )
    assert (header.producer_id, header.is_transactional, header.base_sequence) == (-1, False, 0)
    found: list[tuple[int, int]] = []
    for record in records_of(batch):
        assert record.key is not None
        assert record.value is not None
        assert record.key[:2] == b"\0\1"
        assert record.value[:2] == value_version.to_bytes(2, "big")
        key = decode(OffsetCommitKey, 0, record.key, 2)
        value = decode(OffsetCommitValue, value_version, record.value, 2)
        assert (key.group, key.topic, value.commit_timestamp) == ("readers", "orders", NOW_MS)
        found.append((key.partition, value.offset))
    assert found == [(0, 10), (4, 14)]


def test_in_a_transaction_the_batch_is_the_producers() -> None:
    header, _ = build_offset_commits(
        "readers", OFFSETS, TransactionalProducer(9, 2), value_version=3, now_ms=NOW_MS
    )
    assert header.is_transactional
    assert (header.producer_id, header.producer_epoch, header.base_sequence) == (9, 2, 0)
