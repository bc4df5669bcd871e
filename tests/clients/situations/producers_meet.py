"""Situations with a second producer, or with late requests of the first."""

from dataclasses import replace
from typing import Final

from mockbroker import API, at
from mockbroker.state.cluster_state import ClusterState
from mockbroker.wire import WireProducer
from tests.clients.kip_691.row import Moment
from tests.clients.kip_691.scene import BATCH_SIZE, Scene
from tests.clients.situations.situation import USUAL, Situations

PRODUCERS_MEET: Final = Situations()
_IMPATIENT: Final = replace(USUAL, delivery_timeout_ms=1_800, request_timeout_ms=1_200)


@PRODUCERS_MEET(
    "A second instance takes over the transactional id between two sends.", Moment.SECOND_SEND
)
def _fenced_between_two_sends(scene: Scene) -> None:
    with WireProducer(scene.bootstrap_servers, scene.transactional_id) as other:
        other.init_producer_id()


@PRODUCERS_MEET(
    "A second instance takes over the transactional id before the commit.", Moment.COMMIT
)
def _fenced_before_the_commit(scene: Scene) -> None:
    with WireProducer(scene.bootstrap_servers, scene.transactional_id) as other:
        other.init_producer_id()


@PRODUCERS_MEET(
    "A fenced producer writes again to a partition that has forgotten it.",
    Moment.SECOND_SEND,
    story="fenced-zombie",
    brokers=2,
)
def _fenced_and_forgotten(scene: Scene) -> None:
    with WireProducer(scene.bootstrap_servers, scene.transactional_id) as other:
        other.init_producer_id()
    partition = scene.cluster.partition(scene.topic, 0)
    partition.delete_records()
    partition.elect(producer_state="from_log")
    scene.expect_only_from(BATCH_SIZE)


@PRODUCERS_MEET(
    "A second instance has an open transaction when the fenced producer goes on.",
    Moment.SECOND_SEND,
    story="vengeful-zombie",
)
def _fenced_by_an_open_transaction(scene: Scene) -> None:
    other = WireProducer(scene.bootstrap_servers, scene.transactional_id)
    scene.afterwards(other.close)
    other.init_producer_id()
    other.init_producer_id()  # the first only aborts the open transaction
    other.add_partition(scene.topic)
    other.produce(scene.topic, b"of another instance", base_sequence=0)


@PRODUCERS_MEET(
    "A batch is on its way for so long that the producer gives it up and aborts; then it arrives.",
    Moment.SECOND_SEND,
    story="late-batch",
    setup=_IMPATIENT,
)
def _late_batch(scene: Scene) -> None:
    marker = at.abort_marker(scene.topic, 0)
    scene.cluster.fault(API.PRODUCE, topic=scene.topic).hold(until=marker).every_time()


@PRODUCERS_MEET(
    "A commit is on its way for so long that the producer sends it again; the first one arrives in"
    " the next transaction.",
    Moment.FIRST_COMMIT,
    story="delayed-end-txn",
    setup=_IMPATIENT,
)
def _delayed_commit(scene: Scene) -> None:
    end_offset = scene.cluster.partition(scene.topic, 0).log_end_offset

    def has_begun_again(state: ClusterState) -> bool:  # a marker and a record later
        partition = state.partition(scene.topic, 0)
        assert partition is not None
        return state.log_of(partition, 0).log_end_offset > end_offset + 1

    scene.cluster.fault(API.END_TXN).hold(until=at.condition(has_begun_again)).once()
