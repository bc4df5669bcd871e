"""The programs that make the golden journals: real clusters in which one thing goes wrong.

A flag selects the journal that breaks the rule or its clean twin.
"""

from collections.abc import Mapping
from typing import Final

from mockbroker import API, Cluster, Release
from mockbroker.journal.entry import Entry
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.end_txn import EndTxnRequest
from mockbroker.protocol.messages.fetch import FetchResponse
from mockbroker.protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
)
from mockbroker.wire import WireClient
from tests.audit.golden.application_scenarios import (
    aborted_after_delivery,
    committed_backwards,
    committed_beyond,
    committed_outside,
    committed_unread,
    order_changed,
)
from tests.audit.golden.group_scenarios import (
    accepted_twice,
    delivered_too_often,
    owned_twice,
)
from tests.audit.golden.making import Made, Producer, check, running
from tests.support.requests import fetch
from tests.support.wire import broker_client, leader_client

_MANY: Final = 12
"""More tries than a storm's threshold."""


def _is_known_again(breaks: bool) -> list[Entry]:
    """A retry, to a leader that knows its producers, or to one that does not."""
    with running() as cluster, Producer(cluster.bootstrap_servers) as producer:
        check(producer.init_producer_id())
        check(*(producer.send(sequence) for sequence in range(3)))
        cluster.partition("orders", 0).elect(producer_state="none" if breaks else "full")
        check(producer.send(2), producer.send(3))
        return cluster.journal.entries()


def _first_write(breaks: bool) -> list[Entry]:
    """The first batch is lost on its way, and the second one is accepted: nobody knows better."""
    with running() as cluster, Producer(cluster.bootstrap_servers) as producer:
        check(producer.init_producer_id())
        if not breaks:
            check(producer.send(0))
        check(producer.send(1), producer.send(2))
        return cluster.journal.entries()


def _late_batch(breaks: bool) -> list[Entry]:
    """A batch comes after the abort of its transaction, and is committed with the next one."""
    with running("2.4") as cluster, Producer(cluster.bootstrap_servers, "svc") as producer:
        check(producer.init_producer_id())
        producer.begin()
        check(producer.send(0), producer.abort())
        if breaks:
            check(producer.send(1, b"late"))
        producer.begin()
        check(producer.send(2 if breaks else 1), producer.commit())
        return cluster.journal.entries()


def _hanging(breaks: bool) -> list[Entry]:
    """A transaction is open at the end: of a batch that came too late, or of its producer."""
    with running("2.4") as cluster, Producer(cluster.bootstrap_servers, "svc") as producer:
        check(producer.init_producer_id())
        producer.begin()
        check(producer.send(0), producer.abort())
        if not breaks:
            producer.begin()
        check(producer.send(1))
        return cluster.journal.entries()


def _stuck(breaks: bool) -> list[Entry]:
    """A transaction takes half an hour, or ten minutes."""
    hours = {"transaction.max.timeout.ms": "7200000"}
    with (
        running(**hours) as cluster,
        Producer(cluster.bootstrap_servers, "svc") as producer,
        Producer(cluster.bootstrap_servers) as other,
    ):
        check(producer.init_producer_id(timeout_ms=7_200_000))
        producer.begin()
        check(producer.send(0), other.send(-1))
        cluster.clock.advance("30m" if breaks else "10m")
        check(producer.commit())
        return cluster.journal.entries()


def _zombie(breaks: bool) -> list[Entry]:
    """A fenced producer writes to a partition that does not know the newer one."""
    kafka: Release = "2.4" if breaks else "4.4"
    with (
        running(kafka) as cluster,
        Producer(cluster.bootstrap_servers, "svc") as zombie,
        Producer(cluster.bootstrap_servers, "svc") as owner,
    ):
        check(zombie.init_producer_id(), owner.init_producer_id())
        expected = ErrorCode.NONE if breaks else ErrorCode.INVALID_PRODUCER_EPOCH
        error = zombie.send(0, b"zombie")
        assert (error is ErrorCode.NONE) is breaks, (error, expected)
        owner.begin()
        check(owner.send(0), owner.commit())
        return cluster.journal.entries()


def _given_twice(breaks: bool) -> list[Entry]:
    """A power cut takes the record of an epoch that was given out, and it is given out again."""
    with running() as cluster:
        with Producer(cluster.bootstrap_servers, "svc") as producer:
            check(producer.init_producer_id())
            cluster.flush()
            check(producer.init_producer_id())
        if not breaks:
            cluster.flush()
        cluster.crash()
        with Producer(cluster.bootstrap_servers, "svc") as producer:
            check(producer.init_producer_id())
        return cluster.journal.entries()


def _back_to_an_epoch(breaks: bool) -> list[Entry]:
    """A leader without state takes a batch of the epoch before."""
    with running() as cluster, Producer(cluster.bootstrap_servers) as producer:
        check(producer.init_producer_id())
        check(producer.send(0))
        producer.producer_epoch = 1  # as a client does by itself after an error (KIP-360)
        check(producer.send(0))
        cluster.partition("orders", 0).elect(producer_state="none" if breaks else "full")
        producer.producer_epoch = 0
        assert (producer.send(1) is ErrorCode.NONE) is breaks
        return cluster.journal.entries()


def _write_marker(cluster: Cluster, producer: Producer, *, is_commit: bool, epoch: int) -> None:
    """Write a marker by hand, as `kafka-transactions.sh abort` does."""
    marker = WritableTxnMarker(
        producer_id=producer.producer_id,
        producer_epoch=producer.producer_epoch,
        transaction_result=is_commit,
        topics=[WritableTxnMarkerTopic(name="orders", partition_indexes=[0])],
        coordinator_epoch=epoch,
    )
    with leader_client(cluster) as client:
        answer = client.ask(WriteTxnMarkersRequest(markers=[marker]), 1, WriteTxnMarkersResponse)
    check(ErrorCode(answer.markers[0].topics[0].partitions[0].error_code))


def _by_hand(breaks: bool) -> list[Entry]:
    """An abort by hand: of a transaction that is over, or of one that hangs."""
    with running("2.8") as cluster, Producer(cluster.bootstrap_servers, "svc") as producer:
        check(producer.init_producer_id())
        producer.begin()
        check(producer.send(0), producer.commit() if breaks else producer.abort())
        if not breaks:
            check(producer.send(1, b"late"))
        _write_marker(cluster, producer, is_commit=False, epoch=0)
        return cluster.journal.entries()


def _marked_twice(breaks: bool) -> list[Entry]:
    """A marker is there twice: by hand, or by the coordinator that took over."""
    with running("2.8") as cluster, Producer(cluster.bootstrap_servers, "svc") as producer:
        check(producer.init_producer_id())
        producer.begin()
        check(producer.send(0))
        transaction = cluster.transaction("svc")
        transaction.hold_ending()
        check(producer.commit())
        transaction.step()
        if not breaks:
            cluster.move_coordinator("svc")
        transaction.release()
        if breaks:
            _write_marker(cluster, producer, is_commit=True, epoch=0)
        return cluster.journal.entries()


def _expired(breaks: bool) -> list[Entry]:
    """A transaction is aborted for its age before its commit comes, or is committed in time."""
    with running() as cluster, Producer(cluster.bootstrap_servers, "svc") as producer:
        check(producer.init_producer_id(timeout_ms=60_000))
        producer.begin()
        check(producer.send(0))
        cluster.clock.advance("2m" if breaks else "30s")
        assert (producer.commit() is ErrorCode.NONE) is not breaks
        return cluster.journal.entries()


def _forgotten(breaks: bool) -> list[Entry]:
    """A producer that was forgotten begins again, or goes on."""
    with running() as cluster, Producer(cluster.bootstrap_servers) as producer:
        check(producer.init_producer_id())
        check(producer.send(0), producer.send(1))
        cluster.partition("orders", 0).forget_producer(producer.producer_id)
        check(producer.send(0 if breaks else 2))
        return cluster.journal.entries()


def _offsets(breaks: bool) -> list[Entry]:
    """Nothing in Kafka leaves offsets out of a log, so that the rows of a batch are taken out."""
    with running() as cluster, Producer(cluster.bootstrap_servers) as producer:
        check(*(producer.send(-1) for _ in range(4)))
        entries = cluster.journal.entries()
    gone = {each.call for each in entries if each.base_offset == 2} if breaks else set[int | None]()
    return [each for each in entries if each.call is None or each.call not in gone]


def _fetch(client: WireClient, offset: int) -> ErrorCode:
    request = fetch(offset=offset, min_bytes=0, max_bytes=1 << 20)
    request.isolation_level = 1
    request.topics[0].partitions[0].partition_max_bytes = 1 << 20
    answer = client.ask(request, 4, FetchResponse)
    return ErrorCode(answer.responses[0].partitions[0].error_code)


def _recreated(breaks: bool) -> list[Entry]:
    """A topic is made anew under a reader, which goes on where it was, or begins again."""
    with running("3.9") as cluster, Producer(cluster.bootstrap_servers) as producer:
        check(producer.send(-1), producer.send(-1))
        with leader_client(cluster) as client:
            check(_fetch(client, 0), _fetch(client, 2))
            cluster.recreate_topic("orders")
            check(*(producer.send(-1) for _ in range(3)))
        with leader_client(cluster) as client:
            check(_fetch(client, 2 if breaks else 0))
        return cluster.journal.entries()


def _again_and_again(breaks: bool) -> list[Entry]:
    """A batch comes again, and is known again, many times or two."""
    with running() as cluster, Producer(cluster.bootstrap_servers) as producer:
        check(producer.init_producer_id())
        check(*(producer.send(0) for _ in range(_MANY if breaks else 3)))
        check(producer.send(1))
        return cluster.journal.entries()


def _sent_again(breaks: bool) -> list[Entry]:
    """A producer without sequences is not told that its batch is stored, and sends it again."""
    with running() as cluster, Producer(cluster.bootstrap_servers) as producer:
        if breaks:
            cluster.fault(API.PRODUCE).apply_then_answer(ErrorCode.REQUEST_TIMED_OUT)
            check(producer.send(-1), expected=ErrorCode.REQUEST_TIMED_OUT)
        else:
            check(producer.send(-1))
        check(producer.send(-1))
        return cluster.journal.entries()


def _believed(breaks: bool) -> list[Entry]:
    """A batch is answered without an error and was not appended, or was."""
    with running() as cluster, Producer(cluster.bootstrap_servers) as producer:
        fault = cluster.fault(API.PRODUCE)
        if breaks:
            fault.answer(ErrorCode.NONE)
        else:
            fault.apply_then_answer(ErrorCode.NONE)
        check(producer.send(-1), producer.send(-1))
        return cluster.journal.entries()


def _cut_off(breaks: bool) -> list[Entry]:
    """A leader takes over that lacks the end of the log, or one that has it."""
    with running() as cluster, Producer(cluster.bootstrap_servers) as producer:
        check(producer.send(-1, b"first"), producer.send(-1, b"second"))
        if breaks:
            cluster.partition("orders", 0).elect(log="truncate", log_end_offset=1)
        else:
            cluster.partition("orders", 0).elect()
        check(producer.send(-1, b"third"))
        return cluster.journal.entries()


def _shown(breaks: bool) -> list[Entry]:
    """A transaction is aborted at a leader that had forgotten it, or knows it."""
    with running() as cluster, Producer(cluster.bootstrap_servers, "svc") as producer:
        check(producer.init_producer_id())
        producer.begin()
        check(producer.send(0))
        cluster.partition("orders", 0).elect(producer_state="none" if breaks else "full")
        check(producer.abort())
        return cluster.journal.entries()


def _ended_late(breaks: bool) -> list[Entry]:
    """An EndTxn is on its way while its retry succeeds; it arrives in the next transaction."""
    with running("2.8") as cluster, Producer(cluster.bootstrap_servers, "svc") as producer:
        check(producer.init_producer_id())
        producer.begin()
        check(producer.send(0))
        late = cluster.fault(API.END_TXN).hold(block_connection=False).once()
        with broker_client(cluster, cluster.coordinator_of("svc")) as client:
            client.send(_commit_of(producer), 3)
            late.wait_held()
        check(producer.commit())
        if not breaks:
            late.release()
        producer.begin()
        check(producer.send(1))
        if breaks:
            late.release()
        check(producer.commit())
        return cluster.journal.entries()


def _commit_of(producer: Producer) -> EndTxnRequest:
    return EndTxnRequest(
        transactional_id="svc",
        producer_id=producer.producer_id,
        producer_epoch=producer.producer_epoch,
        committed=True,
    )


MADE: Final[Mapping[str, Made]] = {
    "DUPLICATE_APPEND": Made(_is_known_again, 3),
    "DUPLICATE_PAYLOAD": Made(_sent_again, 1),
    "SEQUENCE_GAP": Made(_first_write, 0),
    "LOST_ACKED": Made(_believed, None),
    "ACKED_NOT_DURABLE": Made(_cut_off, 1),
    "APPEND_AFTER_MARKER": Made(_late_batch, 2),
    "HANGING_TXN": Made(_hanging, 2),
    "LSO_STUCK": Made(_stuck, 0),
    "ZOMBIE_WRITE_ACCEPTED": Made(_zombie, 0),
    "UNFENCED_EPOCH": Made(_given_twice, None),
    "EPOCH_REGRESSION": Made(_back_to_an_epoch, 2),
    "MARKER_WITHOUT_TXN": Made(_by_hand, 2),
    "DOUBLE_MARKER": Made(_marked_twice, 2),
    "PREPARED_TXN_EXPIRED": Made(_expired, None),
    "WRONG_TXN_ENDED": Made(_ended_late, None),
    "UNKNOWN_PID_RESET": Made(_forgotten, 2),
    "ABORTED_VISIBLE": Made(_shown, 0),
    "OFFSET_GAP_UNEXPLAINED": Made(_offsets, 2),
    "TOPIC_ID_CHANGED_UNDER_READER": Made(_recreated, 0),
    "RETRY_STORM": Made(_again_and_again, 0),
    "OWNED_TWICE": Made(owned_twice, None),
    "DELIVERED_BEYOND_LIMIT": Made(delivered_too_often, 0),
    "ACKNOWLEDGED_TWICE": Made(accepted_twice, 0),
    "COMMITTED_BEYOND_LOG": Made(committed_beyond, 2),
    "COMMITTED_BACKWARDS": Made(committed_backwards, 1),
    "ABORTED_AFTER_DELIVERY": Made(aborted_after_delivery, 0),
    "OFFSETS_OUTSIDE_TRANSACTION": Made(committed_outside, 1),
    "COMMITTED_UNREAD": Made(committed_unread, 1),
    "ORDER_CHANGED": Made(order_changed, 2),
}
"""Programs of the golden journals by rule."""
