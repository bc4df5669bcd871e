"""Batches of a ShareFetch: those with acquired records, committed ones, deleted ones."""

import pytest

from mockbroker.broker.handlers.share_fetch_read import ShareRead
from mockbroker.broker.log_cleaner import clean
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    DeleteRecordsTopic,
)
from mockbroker.protocol.messages.produce import ProduceResponse
from mockbroker.protocol.messages.share_fetch import PartitionData, ShareFetchResponse
from mockbroker.protocol.records.batch import batch_spans
from mockbroker.protocol.types import BatchHeader, Buffer
from tests.broker.handlers.share_building import fetching, share_brokers, store
from tests.conformance.batches import Item, batch
from tests.support.in_process import NOW_MS, Brokers
from tests.support.requests import produce


def loaded(batches: int) -> Brokers:
    """Return brokers with a loaded share partition and batches of three records."""
    brokers = share_brokers()
    brokers.ask(fetching(brokers, 0, member="loader"), 2, ShareFetchResponse)
    brokers.loop.run()
    for _ in range(batches):
        store(brokers)
    return brokers


def fetch(brokers: Brokers, *, records_max: int = 500, max_bytes: int = 1 << 20) -> PartitionData:
    request = fetching(brokers, 0)
    request.max_records, request.max_bytes = records_max, max_bytes
    (topic,) = brokers.ask(request, 2, ShareFetchResponse).responses
    (data,) = topic.partitions
    return data


def spans(data: PartitionData) -> int:
    assert isinstance(data.records, memoryview | bytes | bytearray)
    return len(list(batch_spans(data.records)))


def test_nothing_was_read() -> None:
    assert ShareRead().records == b""
    assert ShareRead().size_bytes == 0


def test_only_batches_with_acquired_records_are_returned() -> None:
    brokers = loaded(4)
    assert spans(fetch(brokers, records_max=4)) == 2
    assert spans(fetch(brokers, records_max=1)) == 1
    assert spans(fetch(brokers)) == 1
    assert spans(fetch(brokers)) == 0


def test_batches_after_the_last_record_that_a_member_can_get_are_not_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    brokers = loaded(30)
    read: list[object] = []
    headers = brokers.state.records.read_header

    def counted(_records: object, data: Buffer) -> BatchHeader:
        read.append(data)
        return headers(data)

    monkeypatch.setattr(type(brokers.state.records), "read_header", counted)
    for offset in (0, 6):
        read.clear()
        data = fetch(brokers, records_max=5)
        assert [each.first_offset for each in data.acquired_records] == [offset]
        assert len(read) <= 3


@pytest.mark.parametrize("records_max", [5, 10, 50])
def test_behind_a_gap_of_the_log_a_member_gets_as_many_records_as_before_it(
    records_max: int,
) -> None:
    brokers = share_brokers(configs={"log.cleanup.policy": "compact"})
    brokers.ask(fetching(brokers, 0, member="loader"), 2, ShareFetchResponse)
    brokers.loop.run()
    for key in [*[b"same"] * 100, *(b"%d" % number for number in range(60)), b"same"]:
        records = batch(Item(key=key), at_ms=NOW_MS)
        brokers.ask(produce("t", 0, records), 7, ProduceResponse)
    log = brokers.state.log_of(brokers.partition("t"), brokers.service.now_ms)
    clean(log, delete_retention_ms=0, now_ms=brokers.service.now_ms)
    acquired = fetch(brokers, records_max=records_max).acquired_records
    assert (acquired[0].first_offset, acquired[-1].last_offset) == (100, 99 + records_max)


def test_the_first_batch_is_returned_whatever_its_size() -> None:
    brokers = loaded(2)
    data = fetch(brokers, max_bytes=1)
    assert [(each.first_offset, each.last_offset) for each in data.acquired_records] == [(0, 2)]
    assert spans(data) == 1


def test_a_part_of_the_next_batch_is_not_acquired() -> None:
    brokers = loaded(3)
    size_bytes = len(brokers.log_bytes("t")) // 3
    for number, part_bytes in enumerate((10, size_bytes - 1)):
        data = fetch(brokers, max_bytes=size_bytes + part_bytes)
        first = 3 * number
        assert [(each.first_offset, each.last_offset) for each in data.acquired_records] == [
            (first, first + 2)
        ]
        assert isinstance(data.records, memoryview)
        assert len(data.records) == size_bytes + part_bytes


def test_after_deleted_records_the_window_begins_at_the_log_start() -> None:
    brokers = loaded(2)
    partition = DeleteRecordsPartition(partition_index=0, offset=4)
    topic = DeleteRecordsTopic(name="t", partitions=[partition])
    request = DeleteRecordsRequest(topics=[topic], timeout_ms=1000)
    brokers.ask(request, 2, DeleteRecordsResponse)
    data = fetch(brokers)
    assert (data.error_code, data.acquired_records) == (ErrorCode.NONE, [])
    acquired = fetch(brokers).acquired_records
    assert [(each.first_offset, each.last_offset) for each in acquired] == [(4, 5)]
