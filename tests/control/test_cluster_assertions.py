"""Assertions about a cluster, each of which is seen to hold and to fail."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from mockbroker import API, ERR, Cluster, Release, at
from mockbroker.control.assertions.failure import ClusterAssertionError
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.list_offsets import ListOffsetsRequest, ListOffsetsResponse
from mockbroker.protocol.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
)
from mockbroker.wire import WireClient, WireProducer, record_batch
from tests.support.wire import broker_client


def write(producer: WireProducer, *values: bytes, base_sequence: int) -> None:
    assert producer.add_partition("orders") is ErrorCode.NONE
    assert producer.produce("orders", *values, base_sequence=base_sequence).error is ErrorCode.NONE


def test_a_batch_after_the_end_of_its_transaction_hangs() -> None:
    with (
        Cluster(topics={"orders": 1}, kafka="2.8") as cluster,
        WireProducer(cluster.bootstrap_servers, "svc") as producer,
    ):
        producer.init_producer_id()
        write(producer, b"in time", base_sequence=0)
        producer.abort()
        cluster.assert_no_hanging_transactions()
        cluster.assert_no_open_transactions()
        producer.produce("orders", b"late", base_sequence=1)
        with pytest.raises(ClusterAssertionError) as failure:
            cluster.assert_no_hanging_transactions()
        assert "open since offset 2 that no coordinator knows" in str(failure.value)
        assert "HANGING from offset 2 on: producer 0 epoch 0" in str(failure.value)
        with pytest.raises(ClusterAssertionError, match="since offset 2"):
            cluster.assert_no_open_transactions()


def test_a_transaction_is_open_until_it_is_ended() -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        WireProducer(cluster.bootstrap_servers, "svc") as producer,
    ):
        producer.init_producer_id()
        write(producer, b"value", base_sequence=0)
        (opened,) = cluster.open_transactions()
        assert (opened.transactional_id, opened.first_offset) == ("svc", 0)
        cluster.assert_no_hanging_transactions()
        with pytest.raises(ClusterAssertionError, match=r"'svc' .* is Ongoing, with data from"):
            cluster.assert_no_open_transactions()
        producer.commit()
        cluster.assert_no_open_transactions()


def test_the_epoch_of_a_transactional_id_is_asserted() -> None:
    with (
        Cluster() as cluster,
        WireProducer(cluster.bootstrap_servers, "svc") as old,
        WireProducer(cluster.bootstrap_servers, "svc") as new,
    ):
        old.init_producer_id()
        cluster.assert_producer_epoch("svc", 0)
        new.init_producer_id()
        cluster.assert_producer_epoch("svc", producer_epoch=1)
        with pytest.raises(ClusterAssertionError, match=r"'svc' has producer epoch 1 .*, not 0"):
            cluster.assert_producer_epoch("svc", 0)
        with pytest.raises(LookupError, match="no coordinator knows 'other'"):
            cluster.assert_producer_epoch("other", 0)


def test_the_timelines_of_the_selected_partitions_are_drawn() -> None:
    with (
        Cluster(topics={"orders": 2, "payments": 1}) as cluster,
        WireProducer(cluster.bootstrap_servers, "svc") as producer,
    ):
        producer.init_producer_id()
        write(producer, b"value", base_sequence=0)
        producer.commit()
        assert cluster.lanes().startswith("orders-0  leader 1, leader epoch 0\n")
        assert "(2 partitions without a record)" in cluster.lanes()
        assert cluster.lanes("orders", 1).startswith("orders-1")
        assert "__transaction_state" in cluster.lanes("__transaction_state")
        with pytest.raises(LookupError, match="no topic 'nowhere'"):
            cluster.lanes("nowhere")


# What came of what was sent


def one_record(value: bytes, acks: int) -> ProduceRequest:
    data = PartitionProduceData(index=0, records=record_batch(value))
    topic = TopicProduceData(name="orders", partition_data=[data])
    return ProduceRequest(transactional_id=None, acks=acks, timeout_ms=1_000, topic_data=[topic])


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    with Cluster(topics={"orders": 1}) as cluster:
        yield cluster


def failure_of(check: Callable[[], None]) -> str:
    """Return the text of a failing assertion on one line."""
    with pytest.raises(ClusterAssertionError) as failure:
        check()
    return " ".join(str(failure.value).split())


def test_a_request_that_the_network_duplicates_makes_duplicate_records(cluster: Cluster) -> None:
    cluster.fault(API.PRODUCE).duplicate().every_time()
    with WireProducer(cluster.bootstrap_servers) as producer:
        producer.produce("orders", b"value", base_sequence=-1)
        text = failure_of(cluster.assert_no_duplicates)
        assert "the request was applied twice" in text
        with WireProducer(cluster.bootstrap_servers) as idempotent:
            idempotent.init_producer_id()
            idempotent.produce("orders", b"value", base_sequence=0)
        text = failure_of(cluster.assert_no_duplicates)
        assert text.count("DUPLICATE") == 1, "a sequence is appended once"


def test_a_leader_without_producer_state_appends_a_retry_again(cluster: Cluster) -> None:
    with WireProducer(cluster.bootstrap_servers) as producer:
        producer.init_producer_id()
        for value, sequence in ((b"a", 0), (b"b", 1)):
            producer.produce("orders", value, base_sequence=sequence, timestamp_ms=1_000)
        cluster.partition("orders", 0).elect(producer_state="none")
        producer.produce("orders", b"a", base_sequence=0, timestamp_ms=1_000)
    text = failure_of(cluster.assert_no_duplicates)
    assert "offset 2 (producer 0 epoch 0 #0) repeats offset 0 (producer 0 epoch 0 #0)" in text
    cluster.assert_no_loss()


@pytest.mark.parametrize("transactional_id", [None, "svc"])
def test_a_leader_that_lacks_the_end_of_the_log_causes_a_loss(transactional_id: str | None) -> None:
    with (
        Cluster(topics={"orders": 1}, brokers=2) as cluster,
        WireProducer(cluster.bootstrap_servers, transactional_id) as producer,
    ):
        producer.init_producer_id()
        for sequence, value in enumerate((b"a", b"b", b"c")):
            if transactional_id is None:
                producer.produce("orders", value, base_sequence=sequence)
            else:
                write(producer, value, base_sequence=sequence)
        cluster.partition("orders", 0).elect(log="truncate", log_end_offset=1)
        if transactional_id is not None:
            cluster.assert_no_loss()
            assert producer.commit() is ErrorCode.NONE
        text = failure_of(cluster.assert_no_loss)
        for offset in (1, 2):
            assert f"offset {offset} (producer 0 epoch 0 #{offset}): acknowledged to" in text
        assert "lost: the log was truncated to offset 1" in text
        assert text.count("LOST") == 2
        assert "not exactly once" in failure_of(cluster.assert_exactly_once)
        cluster.assert_no_duplicates()


def test_records_that_only_an_isolated_broker_had_are_lost() -> None:
    with Cluster(topics={"orders": 1}, brokers=2) as cluster:
        cluster.assert_no_loss()
        cut_off = cluster.partition("orders", 0).leader
        other = 3 - cut_off
        cluster.isolate(cut_off)
        for broker, value in ((cut_off, b"a"), (cut_off, b"b"), (other, b"c")):
            with broker_client(cluster, broker) as client:
                answer = client.ask(one_record(value, acks=1), 9, ProduceResponse)
            assert answer.responses[0].partition_responses[0].error_code == ErrorCode.NONE
        before = failure_of(cluster.assert_no_loss)
        cluster.rejoin(cut_off)
        assert failure_of(cluster.assert_no_loss) == before
        assert "from offset 0 on, the log has records of another leader, or none" in before
        assert before.count("LOST") == 2
        cluster.assert_records("orders", ["c"])
        cluster.assert_no_duplicates()


def test_unflushed_records_are_lost_in_a_crash() -> None:
    with (
        Cluster(topics={"orders": 1}) as cluster,
        WireProducer(cluster.bootstrap_servers) as producer,
    ):
        producer.produce("orders", b"a", base_sequence=-1)
        cluster.flush()
        producer.produce("orders", b"b", base_sequence=-1)
        cluster.assert_exactly_once()
        cluster.crash()
        assert "offset 1: acknowledged to" in failure_of(cluster.assert_no_loss)
        with WireProducer(cluster.bootstrap_servers) as again:
            again.produce("orders", b"b", base_sequence=-1)
        assert "offset 1: acknowledged to" in failure_of(cluster.assert_no_loss)
        cluster.assert_no_duplicates()
        cluster.recreate_topic("orders")
        cluster.assert_no_loss()


def test_a_lost_record_that_is_sent_again_is_stored_exactly_once(cluster: Cluster) -> None:
    with WireProducer(cluster.bootstrap_servers) as producer:
        producer.init_producer_id()
        producer.produce("orders", b"a", base_sequence=0)
        cluster.partition("orders", 0).elect(log="truncate", log_end_offset=0)
        failure_of(cluster.assert_no_loss)
        producer.produce("orders", b"a", base_sequence=0)
        cluster.assert_exactly_once("orders", expected=["a"])


def test_a_reset_cluster_has_no_losses(cluster: Cluster) -> None:
    with WireProducer(cluster.bootstrap_servers) as producer:
        producer.produce("orders", b"a", base_sequence=-1)
        cluster.reset()
    assert cluster.sent_batches() == []
    cluster.assert_exactly_once("orders", expected=[])


def test_an_acknowledged_batch_without_an_append_is_lost(cluster: Cluster) -> None:
    cluster.fault(API.PRODUCE).answer(ERR.NONE).once()
    with WireProducer(cluster.bootstrap_servers) as producer:
        producer.produce("orders", b"a", base_sequence=-1)
        producer.produce("orders", b"b", base_sequence=-1)
    assert "was acknowledged to 'mockbroker-wire'" in failure_of(cluster.assert_no_loss)
    assert "never appended" in failure_of(lambda: cluster.assert_exactly_once("orders"))
    cluster.assert_no_duplicates()


def test_deleted_records_are_not_lost(cluster: Cluster) -> None:
    with WireProducer(cluster.bootstrap_servers) as producer:
        for value in (b"a", b"b"):
            producer.produce("orders", value, base_sequence=-1)
    cluster.partition("orders", 0).delete_records(1)
    cluster.assert_no_loss()
    cluster.assert_records("orders", ["b"])
    text = failure_of(lambda: cluster.assert_no_loss("orders", expected=["a"]))
    assert "b'a' was expected, readers get it 0 times, and no log has it" in text
    assert "orders-0 leader 1, leader epoch 0" in text, "any partition might have had it"


def test_aborted_records_are_neither_lost_nor_duplicates(cluster: Cluster) -> None:
    with WireProducer(cluster.bootstrap_servers, "svc") as producer:
        producer.init_producer_id()
        for sequence, end in enumerate((producer.abort, producer.commit)):
            write(producer, b"value", base_sequence=sequence)
            end()
    cluster.assert_exactly_once("orders", expected=[b"value"])
    cluster.assert_records("orders", [b"value", b"value"], isolation="read_uncommitted")
    text = failure_of(lambda: cluster.assert_records("orders", []))
    assert "record 0 is b'value' at offset 2, nothing more was expected" in text


def test_a_leader_without_producer_state_shows_aborted_records_to_readers(
    cluster: Cluster,
) -> None:
    with WireProducer(cluster.bootstrap_servers, "svc") as producer:
        producer.init_producer_id()
        write(producer, b"value", base_sequence=0)
        cluster.partition("orders", 0).elect(producer_state="none")
        check = lambda: cluster.assert_exactly_once(allow_open=True)  # noqa: E731
        assert "whose transaction is undecided" in failure_of(check)
        producer.abort()
        assert "whose transaction was aborted" in failure_of(check)


def test_an_open_transaction_is_allowed_only_with_allow_open(cluster: Cluster) -> None:
    with WireProducer(cluster.bootstrap_servers, "svc") as producer:
        producer.init_producer_id()
        write(producer, b"value", base_sequence=0)
        cluster.assert_exactly_once(allow_open=True)
        assert "'svc' (producer 0 epoch 0) is Ongoing" in failure_of(cluster.assert_exactly_once)
        producer.commit()
        cluster.assert_exactly_once()


def test_a_batch_held_until_after_its_abort_is_committed_with_the_next_transaction() -> None:
    with (
        Cluster(topics={"orders": 1}, brokers=2, kafka="2.8") as cluster,
        WireProducer(cluster.bootstrap_servers, "svc") as producer,
        WireProducer(cluster.bootstrap_servers, "svc") as late,
    ):
        producer.init_producer_id()
        late.producer_id, late.producer_epoch = producer.producer_id, producer.producer_epoch
        write(producer, b"in time", base_sequence=0)
        held = cluster.fault(API.PRODUCE, base_sequence=1).hold(until=at.abort_marker("orders", 0))
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(late.produce, "orders", b"late", base_sequence=1)
            held.wait_held()
            producer.abort()
            assert answer.result().error is ErrorCode.NONE
            assert producer.add_partition("orders") is ErrorCode.NONE
            producer.produce("orders", b"next", base_sequence=2)
            producer.commit()
            text = failure_of(cluster.assert_exactly_once)
        assert "was sent before 'svc' aborted, arrived after it, and is committed" in text
        assert "LATE, COMMITTED" in text
        cluster.assert_committed("svc")


def test_a_zombie_writes_where_batches_are_not_verified() -> None:
    cases: tuple[tuple[Release, bool], ...] = (("2.8", True), ("4.4", False))
    for release, accepts in cases:
        with (
            Cluster(topics={"orders": 1}, kafka=release) as cluster,
            WireProducer(cluster.bootstrap_servers, "svc") as old,
            WireProducer(cluster.bootstrap_servers, "svc") as new,
        ):
            for producer in (old, new):
                producer.init_producer_id()
            failure_of(lambda: cluster.assert_fenced("svc"))
            answer = old.produce("orders", b"zombie", base_sequence=0)
            assert (answer.error is ErrorCode.NONE) is accepts
            if accepts:
                assert "ZOMBIE" in failure_of(cluster.assert_no_zombie_writes)
            else:
                cluster.assert_no_zombie_writes()
            old.commit()
            cluster.assert_fenced("svc")
            cluster.assert_fenced(producer_id=old.producer_id, producer_epoch=0)
            text = failure_of(lambda: cluster.assert_fenced("svc", producer_epoch=1))
            assert "Fenced producers: producer 0 epoch 0" in text
            with pytest.raises(ValueError, match="name the producer"):
                cluster.assert_fenced()


def test_the_end_of_a_transaction_is_asserted(cluster: Cluster) -> None:
    with WireProducer(cluster.bootstrap_servers, "svc") as producer:
        producer.init_producer_id()
        assert "no transaction of 'svc' was" in failure_of(lambda: cluster.assert_committed("svc"))
        write(producer, b"value", base_sequence=0)
        cluster.transaction("svc").hold_ending()
        producer.commit()
        assert "PrepareCommit" in failure_of(lambda: cluster.assert_committed("svc"))
        cluster.transaction("svc").release()
        cluster.assert_committed("svc")
        text = failure_of(lambda: cluster.assert_aborted("svc"))
        assert "the transactions of 'svc' ended, in order: commit" in text
        write(producer, b"value", base_sequence=1)
        producer.abort()
        cluster.assert_aborted("svc")


def test_requests_that_are_not_served_are_reported(cluster: Cluster) -> None:
    request = ListOffsetsRequest(replica_id=-1, topics=[])
    with WireClient(cluster.bootstrap_servers) as client:
        client.ask(request, 5, ListOffsetsResponse)
        cluster.assert_no_unhandled_requests()
    for _ in range(2):
        with WireClient(cluster.bootstrap_servers) as client, pytest.raises(ConnectionError):
            client.ask(request, 0, ListOffsetsResponse)
    text = failure_of(cluster.assert_no_unhandled_requests)
    assert "unsupported version: api LIST_OFFSETS, version 0, 2 times" in text


def test_assertions_fail_if_the_ledger_dropped_rows() -> None:
    with (
        Cluster(topics={"orders": 1}, ledger_rows_max=2) as cluster,
        WireProducer(cluster.bootstrap_servers) as producer,
    ):
        for number in range(2):
            producer.produce("orders", b"%d" % number, base_sequence=-1)
        cluster.assert_exactly_once()
        producer.produce("orders", b"2", base_sequence=-1)
        for check in (
            cluster.assert_exactly_once,
            cluster.assert_no_loss,
            cluster.assert_no_duplicates,
            cluster.assert_no_zombie_writes,
            cluster.assert_no_unhandled_requests,
            lambda: cluster.assert_fenced("svc"),
            lambda: cluster.assert_aborted("svc"),
        ):
            assert "the ledger has room for 2 rows, and recorded nothing after them" in failure_of(
                check
            )
        cluster.assert_no_open_transactions()
        cluster.assert_records("orders", ["0", "1", "2"])


def test_without_a_ledger_only_some_assertions_can_be_checked() -> None:
    with Cluster(topics={"orders": 1}, ledger_rows_max=0) as cluster:
        assert not cluster.keeps_ledger
        cluster.assert_no_open_transactions()
        cluster.assert_records("orders", [])
        for look in (cluster.assert_no_loss, cluster.timeline, cluster.sent_batches):
            with pytest.raises(RuntimeError, match=r"the ledger is off: ledger\.start\(\)"):
                look()


def test_expected_values_need_a_topic_and_readers_a_level(cluster: Cluster) -> None:
    with pytest.raises(ValueError, match="needs the topic"):
        cluster.assert_exactly_once(expected=["a"])
    with pytest.raises(ValueError, match="allowed are read_uncommitted and read_committed"):
        cluster.assert_records("orders", [], isolation="serializable")  # type: ignore[arg-type]
    with pytest.raises(LookupError, match="no topic 'nowhere'"):
        cluster.assert_exactly_once("nowhere")
