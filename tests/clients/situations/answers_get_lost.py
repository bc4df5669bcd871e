"""Situations in which a request is handled and its response is lost with the connection."""

from typing import Final

from mockbroker import API
from tests.clients.kip_691.row import Moment
from tests.clients.kip_691.scene import Scene
from tests.clients.situations.situation import IDEMPOTENT, Situations

ANSWERS_GET_LOST: Final = Situations()


@ANSWERS_GET_LOST("The response of InitProducerId is lost.", Moment.START)
def _lost_init_producer_id(scene: Scene) -> None:
    scene.cluster.fault(API.INIT_PRODUCER_ID).lose_response().once()


@ANSWERS_GET_LOST("The response of AddPartitionsToTxn is lost.", Moment.BEGIN)
def _lost_add_partitions_to_txn(scene: Scene) -> None:
    scene.cluster.fault(API.ADD_PARTITIONS_TO_TXN).lose_response().once()


@ANSWERS_GET_LOST("The response of Produce in a transaction is lost.", Moment.FIRST_SEND)
def _lost_produce(scene: Scene) -> None:
    scene.cluster.fault(API.PRODUCE).lose_response().once()


@ANSWERS_GET_LOST(
    "The response of Produce of an idempotent producer is lost.",
    Moment.FIRST_SEND,
    setup=IDEMPOTENT,
)
def _lost_produce_idempotent(scene: Scene) -> None:
    scene.cluster.fault(API.PRODUCE).lose_response().once()


@ANSWERS_GET_LOST("The response of AddOffsetsToTxn is lost.", Moment.OFFSETS)
def _lost_add_offsets_to_txn(scene: Scene) -> None:
    scene.cluster.fault(API.ADD_OFFSETS_TO_TXN).lose_response().once()


@ANSWERS_GET_LOST("The response of TxnOffsetCommit is lost.", Moment.OFFSETS)
def _lost_txn_offset_commit(scene: Scene) -> None:
    scene.cluster.fault(API.TXN_OFFSET_COMMIT).lose_response().once()


@ANSWERS_GET_LOST("The response of EndTxn, a commit, is lost.", Moment.COMMIT)
def _lost_end_txn(scene: Scene) -> None:
    scene.cluster.fault(API.END_TXN).lose_response().once()


@ANSWERS_GET_LOST("The request of EndTxn, a commit, is lost.", Moment.COMMIT)
def _lost_request_of_end_txn(scene: Scene) -> None:
    scene.cluster.fault(API.END_TXN).drop_request().once()
