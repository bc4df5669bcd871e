"""Situations in which brokers fail, or logs lose what they had."""

from typing import Final

from mockbroker import API
from tests.clients.kip_691.acts import alter_topic
from tests.clients.kip_691.row import Moment
from tests.clients.kip_691.scene import BATCH_SIZE, Scene
from tests.clients.situations.situation import IDEMPOTENT, Situations

BROKERS_FAIL: Final = Situations()


def kill(scene: Scene, broker: int) -> None:
    """Kill a broker until the attempt is over."""
    scene.cluster.kill(broker)
    scene.afterwards(lambda: scene.cluster.start(broker))


@BROKERS_FAIL(
    "The leader of the partition is killed between two sends; a replica with the whole log leads.",
    Moment.SECOND_SEND,
    brokers=3,
)
def _leader_is_killed(scene: Scene) -> None:
    kill(scene, scene.cluster.partition(scene.topic, 0).leader)


@BROKERS_FAIL(
    "The leader is killed between two sends of an idempotent producer.",
    Moment.FIRST_SEND,
    brokers=3,
    setup=IDEMPOTENT,
)
def _leader_is_killed_idempotent(scene: Scene) -> None:
    kill(scene, scene.cluster.partition(scene.topic, 0).leader)


@BROKERS_FAIL(
    "An unclean election: the new leader lacks the last record, which was acknowledged.",
    Moment.SECOND_SEND,
    brokers=2,
)
def _leader_without_the_tail(scene: Scene) -> None:
    partition = scene.cluster.partition(scene.topic, 0)
    partition.elect(log="truncate", log_end_offset=partition.log_end_offset - 1)


@BROKERS_FAIL(
    "An unclean election: the new leader lacks the last record of an idempotent producer.",
    Moment.FIRST_SEND,
    brokers=2,
    setup=IDEMPOTENT,
)
def _leader_without_the_tail_idempotent(scene: Scene) -> None:
    partition = scene.cluster.partition(scene.topic, 0)
    partition.elect(log="truncate", log_end_offset=partition.log_end_offset - 1)


@BROKERS_FAIL(
    "The partition loses all that an idempotent producer has written: a lost disk.",
    Moment.FIRST_SEND,
    story="first-write-lost",
    setup=IDEMPOTENT,
)
def _first_write_lost(scene: Scene) -> None:
    scene.cluster.recreate_topic(scene.topic)


@BROKERS_FAIL(
    "Old records are deleted, and a replica that was made after that leads: it knows no producer.",
    Moment.BEGIN,
    story="replica-without-state",
    brokers=2,
)
def _leader_without_state(scene: Scene) -> None:
    partition = scene.cluster.partition(scene.topic, 0)
    partition.delete_records()
    partition.elect(producer_state="from_log")
    scene.expect_only_from(BATCH_SIZE)


@BROKERS_FAIL(
    "Old records are deleted, and the new leader knows no idempotent producer.",
    Moment.FIRST_SEND,
    story="replica-without-state",
    brokers=2,
    setup=IDEMPOTENT,
)
def _leader_without_state_idempotent(scene: Scene) -> None:
    partition = scene.cluster.partition(scene.topic, 0)
    partition.delete_records()
    partition.elect(producer_state="from_log")
    scene.expect_only_from(BATCH_SIZE)


@BROKERS_FAIL(
    "The coordinator of the transactional id is killed between the last send and the commit.",
    Moment.COMMIT,
    brokers=3,
)
def _coordinator_is_killed_before_the_commit(scene: Scene) -> None:
    kill(scene, scene.cluster.coordinator_of(scene.transactional_id))


@BROKERS_FAIL(
    "The coordinator of the group is killed before the offsets are sent.",
    Moment.OFFSETS,
    brokers=3,
)
def _group_coordinator_is_killed(scene: Scene) -> None:
    kill(scene, scene.cluster.coordinator_of(group=scene.group))


@BROKERS_FAIL(
    "A sequence error makes the producer request an epoch; the response is lost as the coordinator"
    " moves.",
    Moment.SECOND_SEND,
    story="bump-across-failover",
    brokers=2,
)
def _bump_across_failover(scene: Scene) -> None:
    scene.cluster.fault(API.PRODUCE).answer("OUT_OF_ORDER_SEQUENCE_NUMBER").once()
    lost = scene.cluster.fault(API.INIT_PRODUCER_ID).lose_response("silence").once()
    scene.whenever(lost, lambda: scene.cluster.move_coordinator(scene.transactional_id))


@BROKERS_FAIL(
    "Fewer replicas are in sync than min.insync.replicas, for two attempts.",
    Moment.FIRST_SEND,
    brokers=2,
)
def _too_few_replicas(scene: Scene) -> None:
    partition = scene.cluster.partition(scene.topic, 0)
    (follower,) = set(partition.replicas) - {partition.leader}
    alter_topic(scene, "min.insync.replicas", "2")
    partition.lose_replica(follower)
    retried = scene.cluster.fault(API.PRODUCE).observe()
    scene.whenever(retried, partition.catch_up, hits=2)
