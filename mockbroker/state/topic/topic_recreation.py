"""Recreation of a topic: deletion, and immediate creation under the same name."""

from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.log.log_truncation import start_at
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.state.topic.topic import Topic


def recreate_topic(
    cluster: ClusterState,
    topic: Topic,
    *,
    num_partitions: int | None = None,
    start_offset: int = 0,
    now_ms: int,
) -> Topic:
    """Replace a topic by a new one with the same configs and replication factor.

    With an unchanged partition count, replicas stay on their brokers. All partitions
    begin at `start_offset`.

    Raises:
        ApiError: As `ReplicationControlManager.plan_topic`.

    """
    overrides = dict(cluster.configs.topic_overrides.get(topic.name, {}))
    assignments = [(n, partition.replicas) for n, partition in enumerate(topic.partitions)]
    wanted = NewTopic(name=topic.name, configs=tuple(overrides.items()))
    if num_partitions is None or num_partitions == len(assignments):
        wanted = wanted._replace(assignments=assignments)
    else:
        wanted = wanted._replace(
            num_partitions=num_partitions, replication_factor=topic.replication_factor
        )
    cluster.replication.check_total([wanted])
    cluster.delete_topic(topic)
    made = cluster.create_topic(wanted)
    for partition in made.partitions if start_offset else ():
        start_at(cluster.log_of(partition, now_ms), start_offset, now_ms=now_ms)
    return made
