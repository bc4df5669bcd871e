"""ElectLeaders: preferred and unclean leader election by clients (KIP-460)."""

from enum import IntEnum
from typing import Final

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.replication.leader_election import elect_leader
from mockbroker.state.replication.replication import catch_up
from mockbroker.state.topic.topic import NO_LEADER, Partition

_NOBODY_ALIVE: Final = "Eligible topic partition leaders are not available."


class ElectionType(IntEnum):
    """The type of an election, numbered as on the wire."""

    PREFERRED = 0
    UNCLEAN = 1


def elect_by_type(
    cluster: ClusterState, partition: Partition, election_type: ElectionType, *, now_ms: int
) -> None:
    """Elect the leader of a partition for a client.

    Raises:
        ApiError: ELECTION_NOT_NEEDED if the preferred replica leads already, or, for an unclean
            election, if there is a leader; PREFERRED_LEADER_NOT_AVAILABLE if the preferred replica
            is not in sync or fenced; ELIGIBLE_LEADERS_NOT_AVAILABLE if all replicas are fenced.

    """
    preferred_id = partition.replicas[0]
    refusals = cluster.options.cluster_admin_refusals
    if election_type is ElectionType.UNCLEAN:
        _elect_any(cluster, partition, now_ms)
        return
    if partition.leader_id == preferred_id:
        raise refusals.election_not_needed.error()
    if preferred_id not in partition.in_sync_replicas or preferred_id in cluster.fenced:
        raise refusals.preferred_leader_not_available.error(*partition.topic_partition)
    elect_leader(cluster, partition, preferred_id, now_ms=now_ms)


def _elect_any(cluster: ClusterState, partition: Partition, now_ms: int) -> None:
    """Elect a replica that may be out of sync and lack records, because there is no leader."""
    if partition.leader_id != NO_LEADER:
        raise cluster.options.cluster_admin_refusals.election_not_needed.error()
    alive = [each for each in partition.replicas if each not in cluster.fenced]
    if not alive:
        raise ApiError(ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE, _NOBODY_ALIVE)
    elect_leader(cluster, partition, alive[0], now_ms=now_ms)
    catch_up(cluster, partition)


def find_for_election(cluster: ClusterState, topic: str, index: int) -> Partition:
    """Return the partition of an election request.

    Raises:
        ApiError: UNKNOWN_TOPIC_OR_PARTITION.

    """
    refusals = cluster.options.cluster_admin_refusals
    if topic not in cluster.topics:
        raise refusals.election_unknown_topic.error(topic)
    partition = cluster.partition(topic, index)
    if partition is None:
        raise refusals.election_unknown_partition.error(topic, index)
    return partition


def election_type_of(number: int) -> ElectionType | None:
    """Return the election type of a number on the wire, or None if there is none."""
    return ElectionType(number) if number in set(ElectionType) else None
