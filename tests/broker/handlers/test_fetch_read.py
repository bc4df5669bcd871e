"""Reading the partitions of a fetch, within its limits."""

from collections.abc import Sequence

import pytest

from mockbroker.broker.call import Call
from mockbroker.broker.handlers.fetch_read import FetchLimits, PartitionRead, read_partitions
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.fetch import AbortedTransaction, FetchResponse
from mockbroker.protocol.messages.produce import ProduceResponse
from mockbroker.protocol.types import ZERO_UUID
from mockbroker.state.fetch.fetch_session import FetchPartition
from tests.state.log_building import append, batch_header, end_transaction, transactional
from tests.support.in_process import NOW_MS, Brokers
from tests.support.requests import batch_of, fetch, produce

BATCH = batch_of(bytes(1000))
PLENTY = 1 << 20


@pytest.fixture
def brokers() -> Brokers:
    """Three partitions of two equal batches each."""
    brokers = Brokers(topics={"orders": 3}, release="2.4")
    for index in (0, 0, 1, 1, 2, 2):
        brokers.ask(produce(index=index, records=BATCH), 7, ProduceResponse)
    return brokers


def read(
    brokers: Brokers,
    *,
    max_bytes: int = PLENTY,
    partition_max_bytes: int = PLENTY,
    indexes: Sequence[int] = (0, 1, 2),
    version: int = 11,
) -> list[PartitionRead]:
    call = Call(
        brokers.service,
        broker_id=1,
        connection_id=1,
        api_key=ApiKey.FETCH,
        api_version=version,
        correlation_id=1,
        client_id=None,
    )
    wishes = [
        FetchPartition("orders", ZERO_UUID, index, fetch_offset=0, max_bytes=partition_max_bytes)
        for index in indexes
    ]
    limits = FetchLimits(max_bytes=max_bytes, min_bytes=1, is_read_committed=False)
    return read_partitions(call, wishes, limits)


def batches(reads: list[PartitionRead]) -> list[int]:
    return [each.size_bytes // len(BATCH) for each in reads]


def test_without_a_limit_all_is_read(brokers: Brokers) -> None:
    reads = read(brokers)
    assert batches(reads) == [2, 2, 2]
    assert len(bytes(reads[0].records(11, brokers.state.options))) == 2 * len(BATCH)


@pytest.mark.parametrize(
    ("max_bytes", "expected"),
    [
        (6 * len(BATCH), [2, 2, 2]),
        (6 * len(BATCH) - 1, [2, 2, 1]),
        (3 * len(BATCH), [2, 1, 0]),
        (2 * len(BATCH), [2, 0, 0]),
        (1, [1, 0, 0]),
        (0, [1, 0, 0]),
        (-5, [1, 0, 0]),
    ],
)
def test_the_first_partitions_use_up_the_limit_of_the_request(
    brokers: Brokers, max_bytes: int, expected: list[int]
) -> None:
    assert batches(read(brokers, max_bytes=max_bytes)) == expected


def test_only_the_first_batch_of_all_may_exceed_its_partitions_limit(brokers: Brokers) -> None:
    assert batches(read(brokers, partition_max_bytes=10)) == [1, 0, 0]


def test_after_an_error_the_next_partition_gets_the_first_batch(brokers: Brokers) -> None:
    first, second = read(brokers, indexes=(9, 1), max_bytes=1)
    assert first.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert bytes(first.records(11, brokers.state.options)) == b""
    assert (first.high_watermark, first.size_bytes) == (-1, 0)
    assert batches([second]) == [1]


def test_the_limit_is_strict_for_the_oldest_consumers(brokers: Brokers) -> None:
    (found,) = read(brokers, indexes=(0,), partition_max_bytes=100, version=2)
    assert found.size_bytes <= len(BATCH)
    assert found.error_code == ErrorCode.NONE


def test_offsets_are_returned_with_the_batches(brokers: Brokers) -> None:
    (found,) = read(brokers, indexes=(0,))
    assert (found.log_start_offset, found.high_watermark, found.last_stable_offset) == (0, 2, 2)
    assert not found.is_read_committed


@pytest.mark.parametrize(
    ("release", "told_at"),
    [("0.11", {0, 1, 2}), ("2.3", {0, 1, 2}), ("2.4", {0, 1}), ("2.8", {0}), ("4.4", {0})],
)
def test_the_listed_aborted_transactions_depend_on_the_release(
    release: str, told_at: set[int]
) -> None:
    brokers = Brokers(topics={"orders": 1}, release=release)
    log = brokers.state.log_of(brokers.partition("orders"), NOW_MS)
    log.producers.options = log.producers.options._replace(verifies_transactions=False)
    append(log, batch_header())
    append(log, transactional(0, producer_id=1))
    append(log, transactional(0, producer_id=2))
    end_transaction(log, producer_id=2, is_commit=False)
    assert (log.last_stable_offset, log.log_end_offset) == (1, 4)
    aborted = {offset: aborted_for(brokers, offset) for offset in range(5)}
    assert {offset for offset, listed in aborted.items() if listed} == told_at | (
        {3} if 2 in told_at else set()
    )


def aborted_for(brokers: Brokers, fetch_offset: int) -> list[AbortedTransaction]:
    """Fetch with read_committed from one offset; return the list of aborted transactions."""
    request = fetch(offset=fetch_offset)
    request.isolation_level = 1
    (topic,) = brokers.ask(request, 4, FetchResponse).responses
    (partition,) = topic.partitions
    assert partition.error_code == ErrorCode.NONE
    return partition.aborted_transactions or []
