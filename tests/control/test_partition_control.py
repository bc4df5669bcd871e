"""Control methods of a partition, and the answers that clients get after them."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import pytest

from mockbroker import Cluster
from mockbroker.control.handles.partition_handle import PartitionHandle
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.fetch import FetchResponse, PartitionData
from mockbroker.protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from mockbroker.protocol.messages.produce import PartitionProduceResponse, ProduceResponse
from mockbroker.wire import WireProducer
from tests.support.requests import batch_of, produce
from tests.support.requests import fetch as fetch_request
from tests.support.wire import leader_client

LATEST: Final = -1
EARLIEST: Final = -2
MINIMUM: Final = {"min.insync.replicas": "2"}
SHORT_MS: Final = 50


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(brokers=3, topics={"orders": 1}) as cluster:
        yield cluster


def followers(cluster: Cluster) -> list[int]:
    orders = cluster.partition("orders", 0)
    return [each for each in orders.replicas if each != orders.leader]


def write(
    cluster: Cluster, *values: bytes, acks: int = -1, timeout_ms: int = 30_000
) -> PartitionProduceResponse:
    request = produce(records=batch_of(*(values or (b"value",))), acks=acks)
    request.timeout_ms = timeout_ms
    with leader_client(cluster) as client:
        answer = client.ask(request, 9, ProduceResponse)
    (partition,) = answer.responses[0].partition_responses
    return partition


def list_offset(cluster: Cluster, timestamp: int, version: int = 5) -> tuple[ErrorCode, int]:
    asked = ListOffsetsPartition(partition_index=0, timestamp=timestamp)
    topic = ListOffsetsTopic(name="orders", partitions=[asked])
    with leader_client(cluster) as client:
        request = ListOffsetsRequest(replica_id=-1, topics=[topic])
        answer = client.ask(request, version, ListOffsetsResponse)
    (partition,) = answer.topics[0].partitions
    return ErrorCode(partition.error_code), partition.offset


def fetch(cluster: Cluster, offset: int, last_fetched_epoch: int = -1) -> PartitionData:
    request = fetch_request(offset=offset)
    request.topics[0].partitions[0].last_fetched_epoch = last_fetched_epoch
    with leader_client(cluster) as client:
        answer = client.ask(request, 12, FetchResponse)
    return answer.responses[0].partitions[0]


def ends_of(orders: PartitionHandle) -> tuple[int, int]:
    return orders.high_watermark, orders.log_end_offset


# Logs that are cut


def test_a_log_is_truncated_to_the_end_of_the_new_leader(cluster: Cluster) -> None:
    orders = cluster.partition("orders", 0)
    for _ in range(3):
        write(cluster, b"one", b"two")
    orders.elect(log="truncate", log_end_offset=4)
    assert ends_of(orders) == (4, 4)
    assert len(cluster.records("orders")) == 4
    assert write(cluster).base_offset == 4


def test_a_reader_after_the_truncation_gets_the_diverging_epoch(cluster: Cluster) -> None:
    orders = cluster.partition("orders", 0)
    for _ in range(3):
        write(cluster)
    orders.elect(log="truncate", log_end_offset=1)
    write(cluster)
    read = fetch(cluster, 3, last_fetched_epoch=0)
    assert (read.diverging_epoch.epoch, read.diverging_epoch.end_offset) == (0, 1)
    assert fetch(cluster, 3).error_code == ErrorCode.OFFSET_OUT_OF_RANGE
    assert fetch(cluster, 1, last_fetched_epoch=0).error_code == ErrorCode.NONE


def test_a_log_is_truncated_to_the_high_watermark_by_default(cluster: Cluster) -> None:
    orders = cluster.partition("orders", 0)
    write(cluster)
    orders.lag(followers(cluster)[0])
    write(cluster, acks=1)
    assert ends_of(orders) == (1, 2)
    orders.elect(to=followers(cluster)[1], log="truncate")
    assert ends_of(orders) == (1, 1)


def test_the_tail_is_lost(cluster: Cluster) -> None:
    orders = cluster.partition("orders", 0)
    leader = orders.leader
    write(cluster, b"one", b"two")
    write(cluster, b"three")
    write(cluster, b"four", b"five")
    assert orders.lose_tail() == 3
    assert (orders.leader, orders.leader_epoch) == (leader, 1)
    assert orders.lose_tail(2) == 0
    with pytest.raises(ValueError, match="at least 1"):
        orders.lose_tail(0)


# A high watermark that lags


def test_a_new_leader_returns_no_end_offset_before_its_followers_fetch(cluster: Cluster) -> None:
    orders = cluster.partition("orders", 0)
    write(cluster)
    write(cluster)
    orders.elect(high_watermark=1)
    assert ends_of(orders) == (1, 2)
    assert list_offset(cluster, LATEST) == (ErrorCode.OFFSET_NOT_AVAILABLE, -1)
    assert list_offset(cluster, LATEST, version=4) == (ErrorCode.LEADER_NOT_AVAILABLE, -1)
    assert list_offset(cluster, EARLIEST) == (ErrorCode.NONE, 0)
    assert list_offset(cluster, 0) == (ErrorCode.NONE, 0)
    assert list_offset(cluster, 1 << 60)[0] == ErrorCode.OFFSET_NOT_AVAILABLE
    assert fetch(cluster, 1).records == b""
    orders.catch_up()
    assert list_offset(cluster, LATEST) == (ErrorCode.NONE, 2)
    assert fetch(cluster, 1).records


def test_releases_before_kip_207_return_the_end_offset_that_they_know() -> None:
    with Cluster(brokers=3, topics={"orders": 1}, kafka="1.1") as cluster:
        write_old(cluster)
        cluster.partition("orders", 0).elect(high_watermark=0)
        assert list_offset(cluster, LATEST, version=2) == (ErrorCode.NONE, 0)


def write_old(cluster: Cluster) -> None:
    with leader_client(cluster) as client:
        client.ask(produce(), 5, ProduceResponse)


# Replicas that lag


def waiting_write(
    cluster: Cluster, event: Callable[[], object], timeout_ms: int = 30_000
) -> PartitionProduceResponse:
    """Write with acks=all, let something happen while it waits, and return the answer."""
    orders = cluster.partition("orders", 0)
    end = orders.log_end_offset
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(write, cluster, timeout_ms=timeout_ms)
        while orders.log_end_offset == end:
            pass
        assert not answer.done()
        event()
        return answer.result(10)


def test_acks_all_waits_for_a_replica_that_lags(cluster: Cluster) -> None:
    orders = cluster.partition("orders", 0)
    orders.lag(followers(cluster)[0])
    answer = waiting_write(cluster, orders.catch_up)
    assert (answer.error_code, answer.base_offset) == (ErrorCode.NONE, 0)
    assert ends_of(orders) == (1, 1)


def test_acks_all_waits_no_longer_than_the_producers_timeout(cluster: Cluster) -> None:
    orders = cluster.partition("orders", 0)
    orders.lag(followers(cluster)[0])
    answer = write(cluster, timeout_ms=SHORT_MS)
    assert (answer.error_code, answer.base_offset) == (ErrorCode.REQUEST_TIMED_OUT, 0)
    assert ends_of(orders) == (0, 1)
    assert write(cluster, acks=1).error_code == ErrorCode.NONE


def test_a_waiting_write_gets_an_error_when_a_new_leader_is_elected(cluster: Cluster) -> None:
    orders = cluster.partition("orders", 0)
    lagging = followers(cluster)[0]
    orders.lag(lagging)
    answer = waiting_write(cluster, lambda: orders.elect(to=lagging))
    assert answer.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert ends_of(orders) == (0, 0)


def test_too_few_replicas_in_sync_refuse_acks_all() -> None:
    with Cluster(brokers=3, topics={"orders": 1}, config=MINIMUM) as cluster:
        orders = cluster.partition("orders", 0)
        for broker in followers(cluster):
            orders.lose_replica(broker)
        assert write(cluster).error_code == ErrorCode.NOT_ENOUGH_REPLICAS
        assert ends_of(orders) == (0, 0)
        assert write(cluster, acks=1).error_code == ErrorCode.NONE
        assert ends_of(orders) == (0, 1)  # nobody reads it yet (KIP-966)
        orders.catch_up(followers(cluster)[0])
        assert ends_of(orders) == (1, 1)
        assert write(cluster).error_code == ErrorCode.NONE


def lose_followers(cluster: Cluster) -> None:
    for broker in followers(cluster):
        cluster.partition("orders", 0).lose_replica(broker)


def test_too_few_replicas_after_the_append() -> None:
    with Cluster(brokers=3, topics={"orders": 1}, config=MINIMUM, kafka="2.8") as cluster:
        orders = cluster.partition("orders", 0)
        for broker in followers(cluster):
            orders.lag(broker)
        answer = waiting_write(cluster, lambda: lose_followers(cluster))
        assert answer.error_code == ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND
        assert ends_of(orders) == (1, 1)


def test_since_kip_966_too_few_replicas_after_the_append_time_out() -> None:
    with Cluster(brokers=3, topics={"orders": 1}, config=MINIMUM) as cluster:
        orders = cluster.partition("orders", 0)
        for broker in followers(cluster):
            orders.lag(broker)
        answer = waiting_write(cluster, lambda: lose_followers(cluster), timeout_ms=2_000)
        assert answer.error_code == ErrorCode.REQUEST_TIMED_OUT
        assert ends_of(orders) == (0, 1)


def test_impossible_replica_changes_are_refused(cluster: Cluster) -> None:
    orders = cluster.partition("orders", 0)
    with pytest.raises(ValueError, match="leads orders-0"):
        orders.lag(orders.leader)
    with pytest.raises(LookupError, match="broker 9 holds no replica"):
        orders.lose_replica(9)
    with pytest.raises(LookupError, match="broker 9 holds no replica"):
        orders.catch_up(9)
    with pytest.raises(ValueError, match="log='half'"):
        orders.elect(log="half")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="log_end_offset needs log='truncate'"):
        orders.elect(log_end_offset=1)
    lost = followers(cluster)[0]
    cluster.kill(lost)
    with pytest.raises(ValueError, match=f"broker {lost} is killed"):
        orders.catch_up(lost)
    assert orders.leader_epoch == 0


# Records and producers that go


def test_the_log_start_moves(cluster: Cluster) -> None:
    orders = cluster.partition("orders", 0)
    for _ in range(3):
        write(cluster, b"one", b"two")
    assert orders.move_log_start(3) == 3
    assert orders.move_log_start(1) == 3
    assert fetch(cluster, 2).error_code == ErrorCode.OFFSET_OUT_OF_RANGE
    with pytest.raises(ValueError, match="beyond the high watermark, which is 6"):
        orders.move_log_start(7)


def test_a_producer_is_forgotten_with_its_open_transaction(cluster: Cluster) -> None:
    orders = cluster.partition("orders", 0)
    with WireProducer(cluster.bootstrap_servers, "orders-svc") as producer:
        producer.init_producer_id()
        producer.add_partition("orders")
        producer.produce("orders", b"order-1", base_sequence=0)
        assert orders.last_stable_offset == 0
        assert orders.forget_producer(producer.producer_id)
        assert not orders.forget_producer(producer.producer_id)
        assert orders.last_stable_offset == 1


def test_without_a_leader_no_replica_can_lag_or_be_lost() -> None:
    with Cluster(topics={"orders": 1}) as cluster:
        orders = cluster.partition("orders", 0)
        cluster.kill(1)
        with pytest.raises(ValueError, match="orders-0 has no leader"):
            orders.lose_replica(1)
        with pytest.raises(ValueError, match="orders-0 has no leader"):
            orders.lag(1)
        cluster.start(1)
        assert orders.leader == 1


def test_a_transaction_is_over_when_replicas_have_its_markers(cluster: Cluster) -> None:
    orders = cluster.partition("orders", 0)
    with WireProducer(cluster.bootstrap_servers, "orders-svc") as producer:
        producer.init_producer_id()
        producer.add_partition("orders")
        producer.produce("orders", b"order-1", base_sequence=0)
        orders.lag(followers(cluster)[0])
        assert producer.commit() is ErrorCode.NONE
        assert cluster.transaction("orders-svc").state == "PrepareCommit"
        assert producer.add_partition("orders") is ErrorCode.CONCURRENT_TRANSACTIONS
        orders.elect(log="truncate")
        orders.catch_up()
        cluster.clock.advance("1s")
        assert cluster.transaction("orders-svc").state == "CompleteCommit"
        assert len(cluster.records("orders", isolation="read_committed")) == 1
