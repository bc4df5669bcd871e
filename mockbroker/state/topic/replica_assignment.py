"""Assignment of new partitions to brokers, and validation of manual assignments."""

from collections.abc import Mapping, Sequence

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.random_source import RandomSource
from mockbroker.state.release.admin_refusals import AdminRefusals


def assign_replicas(
    broker_ids: Sequence[int], count: int, replication_factor: int, random: RandomSource
) -> list[tuple[int, ...]]:
    """Spread `count` new partitions: leaders in turn from a random broker on, then followers.

    After each round over all brokers the followers shift by one, so that all other brokers take
    over the partitions of a lost broker (Kafka's `AdminUtils`).
    """
    brokers = len(broker_ids)
    assert 0 < replication_factor <= brokers, (replication_factor, brokers)
    start = random.below(brokers)
    shift = random.below(brokers)
    assignments: list[tuple[int, ...]] = []
    for partition in range(count):
        if partition > 0 and partition % brokers == 0:
            shift += 1
        first = (partition + start) % brokers
        followers = (
            (first + 1 + (shift + replica) % (brokers - 1)) % brokers
            for replica in range(replication_factor - 1)
        )
        assignments.append(tuple(broker_ids[index] for index in (first, *followers)))
    return assignments


def numbered_assignment(
    manual: Sequence[tuple[int, Sequence[int]]], *, may_repeat: bool = False
) -> list[tuple[int, ...]]:
    """Return a manual assignment of a new topic, in the order of its partition numbers.

    If a number `may_repeat`, the last one applies.

    Raises:
        ApiError: INVALID_REPLICA_ASSIGNMENT unless each number from 0 on occurs once.

    """
    by_index: dict[int, tuple[int, ...]] = {}
    for index, broker_ids in manual:
        if index in by_index and not may_repeat:
            raise ApiError(
                ErrorCode.INVALID_REPLICA_ASSIGNMENT,
                f"Found multiple manual partition assignments for partition {index}",
            )
        by_index[index] = tuple(broker_ids)
    if sorted(by_index) != list(range(len(by_index))):
        raise ApiError(
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            "partitions should be a consecutive 0-based integer sequence",
        )
    return [by_index[index] for index in range(len(by_index))]


def check_assignment(
    assignments: Mapping[int, Sequence[int]],
    broker_ids: Sequence[int],
    replication_factor: int | None,
    refusals: AdminRefusals,
) -> None:
    """Check a manual assignment of partitions to brokers.

    `replication_factor` is that of the topic's existing partitions, if any.

    Raises:
        ApiError: INVALID_REPLICA_ASSIGNMENT for an empty assignment, an unknown or a repeated
            broker, or a replication factor other than that of the other partitions.

    """
    for partition, replicas in assignments.items():
        if not replicas:
            raise refusals.assignment_empty.error("", partition)
        for broker_id in sorted(replicas):
            if broker_id not in broker_ids:
                raise refusals.assignment_unknown_broker.error(broker_id)
            if replicas.count(broker_id) > 1:
                listed = ", ".join(str(replica) for replica in replicas)
                raise refusals.assignment_repeats_broker.error(broker_id, partition, listed)
        if replication_factor is None:
            replication_factor = len(replicas)
        if len(replicas) != replication_factor:
            raise refusals.assignment_uneven.error(len(replicas), replication_factor)
