"""The producer, or its state in a partition, is not what it was."""

from typing import Final

from mockbroker import API
from mockbroker.protocol.errors import ErrorCode
from mockbroker.wire import WireProducer
from tests.clients.kip_691.acts import in_its_name
from tests.clients.kip_691.organic.entry import entry_into
from tests.clients.kip_691.row import Moment, Row
from tests.clients.kip_691.scene import Scene

ROWS: Final[list[Row]] = []
_row: Final = entry_into(ROWS)


@_row(ErrorCode.INVALID_TXN_STATE, API.END_TXN, Moment.COMMIT, on_real_kafka=True)
@_row(ErrorCode.PRODUCER_FENCED, API.END_TXN, Moment.COMMIT, kafka="3.9")
@_row(ErrorCode.INVALID_PRODUCER_EPOCH, API.PRODUCE, Moment.SECOND_SEND, on_real_kafka=True)
@_row(ErrorCode.PRODUCER_FENCED, API.ADD_PARTITIONS_TO_TXN, Moment.BEGIN, kafka="3.9")
@_row(ErrorCode.PRODUCER_FENCED, API.ADD_OFFSETS_TO_TXN, Moment.OFFSETS, kafka="3.9")
@_row(
    ErrorCode.INVALID_PRODUCER_EPOCH,
    API.ADD_PARTITIONS_TO_TXN,
    Moment.BEGIN,
    kafka="2.4",
)
@_row(
    ErrorCode.INVALID_PRODUCER_EPOCH,
    API.ADD_OFFSETS_TO_TXN,
    Moment.OFFSETS,
    kafka="2.4",
    on_real_kafka=True,
)
@_row(
    ErrorCode.INVALID_PRODUCER_EPOCH,
    API.TXN_OFFSET_COMMIT,
    Moment.OFFSETS,
    on_real_kafka=True,
)
@_row(
    ErrorCode.INVALID_PRODUCER_EPOCH,
    API.END_TXN,
    Moment.COMMIT,
    kafka="2.4",
    on_real_kafka=True,
)
def _another_producer(scene: Scene) -> None:
    with WireProducer(scene.bootstrap_servers, scene.transactional_id) as other:
        other.init_producer_id()


@_row(ErrorCode.INVALID_PRODUCER_ID_MAPPING, API.ADD_PARTITIONS_TO_TXN, Moment.BEGIN, kafka="3.9")
@_row(ErrorCode.INVALID_PRODUCER_ID_MAPPING, API.PRODUCE, Moment.BEGIN)
@_row(ErrorCode.INVALID_PRODUCER_ID_MAPPING, API.ADD_OFFSETS_TO_TXN, Moment.OFFSETS, kafka="3.9")
@_row(ErrorCode.INVALID_PRODUCER_ID_MAPPING, API.TXN_OFFSET_COMMIT, Moment.OFFSETS)
@_row(ErrorCode.INVALID_PRODUCER_ID_MAPPING, API.END_TXN, Moment.COMMIT, kafka="3.9")
def _the_id_expires(scene: Scene) -> None:
    scene.cluster.clock.advance("8d")


@_row(ErrorCode.PRODUCER_FENCED, API.END_TXN, Moment.COMMIT, kafka="3.9")
@_row(ErrorCode.INVALID_TXN_STATE, API.END_TXN, Moment.COMMIT)
@_row(ErrorCode.INVALID_PRODUCER_EPOCH, API.PRODUCE, Moment.SECOND_SEND)
def _the_transaction_times_out(scene: Scene) -> None:
    scene.cluster.clock.advance("2m")


@_row(ErrorCode.TRANSACTION_ABORTABLE, API.PRODUCE, Moment.SECOND_SEND, kafka="3.9")
@_row(ErrorCode.INVALID_TXN_STATE, API.END_TXN, Moment.COMMIT, on_real_kafka=True)
def _it_is_aborted_in_its_name(scene: Scene) -> None:
    with in_its_name(scene) as (same, _):
        same.abort()


@_row(ErrorCode.TRANSACTION_ABORTABLE, API.TXN_OFFSET_COMMIT, Moment.OFFSETS, kafka="3.9")
def _it_is_aborted_while_offsets_are_on_their_way(scene: Scene) -> None:
    offsets = scene.cluster.fault(API.TXN_OFFSET_COMMIT).hold()

    def abort() -> None:
        with in_its_name(scene) as (same, _):
            same.abort()
        offsets.release()

    scene.meanwhile(abort, after=offsets, hits=1)


@_row(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, API.PRODUCE, Moment.SECOND_SEND, on_real_kafka=True)
def _records_are_written_in_its_name(scene: Scene) -> None:
    with in_its_name(scene) as (same, next_sequence):
        same.produce(scene.topic, b"x", b"y", b"z", base_sequence=next_sequence)


@_row(ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER, API.PRODUCE, Moment.SECOND_SEND, brokers=2)
def _the_new_leader_lost_a_record(scene: Scene) -> None:
    partition = scene.cluster.partition(scene.topic, 0)
    partition.elect(log="truncate", log_end_offset=partition.log_end_offset - 1)


@_row(ErrorCode.UNKNOWN_PRODUCER_ID, API.PRODUCE, Moment.FIRST_SEND, kafka="2.4", brokers=2)
def _the_new_leader_knows_no_producer(scene: Scene) -> None:
    scene.cluster.partition(scene.topic, 0).elect(producer_state="none")
