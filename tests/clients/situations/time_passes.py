"""Situations in which time passes: retention, expiry, timeouts."""

from typing import Final

from mockbroker.wire import WireProducer
from tests.clients.kip_691.row import Moment
from tests.clients.kip_691.scene import BATCH_SIZE, Scene
from tests.clients.situations.situation import IDEMPOTENT, Situations

TIME_PASSES: Final = Situations()


@TIME_PASSES(
    "Retention deletes what an idempotent producer has written, between two of its sends.",
    Moment.FIRST_SEND,
    story="idle-producer",
    setup=IDEMPOTENT,
)
def _retention_between_two_sends(scene: Scene) -> None:
    scene.cluster.partition(scene.topic, 0).delete_records()
    scene.expect_only_from(BATCH_SIZE)


@TIME_PASSES(
    "Retention deletes what a transactional producer has written, between two transactions.",
    Moment.BEGIN,
    story="idle-producer",
)
def _retention_between_two_transactions(scene: Scene) -> None:
    scene.cluster.partition(scene.topic, 0).delete_records()
    scene.expect_only_from(BATCH_SIZE)


@TIME_PASSES(
    "An idempotent producer is idle for eight days, so that the leader forgets its id.",
    Moment.FIRST_SEND,
    setup=IDEMPOTENT,
)
def _producer_id_expires(scene: Scene) -> None:
    scene.cluster.clock.advance("8d")


@TIME_PASSES(
    "A transactional producer is idle for eight days, so that its transactional id expires.",
    Moment.BEGIN,
    story="expired-id",
)
def _transactional_id_expires(scene: Scene) -> None:
    scene.cluster.clock.advance("8d")


@TIME_PASSES(
    "The transactional id expires, and another instance takes it over.",
    Moment.BEGIN,
    story="expired-id",
)
def _transactional_id_expires_and_has_another_owner(scene: Scene) -> None:
    scene.cluster.clock.advance("8d")
    with WireProducer(scene.bootstrap_servers, scene.transactional_id) as owner:
        owner.init_producer_id()


@TIME_PASSES("The transaction takes longer than its timeout.", Moment.SECOND_SEND)
def _transaction_times_out_between_two_sends(scene: Scene) -> None:
    scene.cluster.clock.advance("2m")


@TIME_PASSES("The transaction times out before the commit.", Moment.COMMIT)
def _transaction_times_out_before_the_commit(scene: Scene) -> None:
    scene.cluster.clock.advance("2m")
