"""Creation, extension and deletion of topics, after validation (`ReplicationControlManager`)."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import Uuid
from mockbroker.state.config.config_repository import ConfigRepository
from mockbroker.state.config.topic_config import check_topic_overrides
from mockbroker.state.random_source import RandomSource
from mockbroker.state.release.options import Options
from mockbroker.state.topic.replica_assignment import (
    assign_replicas,
    check_assignment,
    numbered_assignment,
)
from mockbroker.state.topic.topic import NO_LEADER, Partition, Topic
from mockbroker.state.topic.topic_name import check_collision, check_topic_name
from mockbroker.state.topic.topic_registry import TopicRegistry

DEFAULT_COUNT: Final = -1
"""The number of partitions or replicas with which a client selects the cluster's default."""


class NewTopic(NamedTuple):
    """A topic in a CreateTopics request (`CreatableTopic`)."""

    name: str
    num_partitions: int = DEFAULT_COUNT
    replication_factor: int = DEFAULT_COUNT
    assignments: Sequence[tuple[int, Sequence[int]]] = ()
    """A manual assignment: partition numbers with broker ids; empty for an automatic one."""
    configs: Sequence[tuple[str, str | None]] = ()


class PlannedTopic(NamedTuple):
    """A validated topic with id and replicas, which does not exist yet."""

    name: str
    topic_id: Uuid
    assignments: Sequence[tuple[int, ...]]
    overrides: Mapping[str, str]

    @property
    def records(self) -> int:
        """The number of records that KRaft logs for it: of the topic, its configs, partitions."""
        return 1 + len(self.overrides) + len(self.assignments)


class MorePartitions(NamedTuple):
    """A topic in a CreatePartitions request (`CreatePartitionsTopic`)."""

    name: str
    total: int
    """The number of partitions that the topic is to have (`count` in the request)."""
    assignments: Sequence[Sequence[int]] | None = None
    """The broker ids of each new partition; None for an automatic assignment."""


class PlannedPartitions(NamedTuple):
    """Validated new partitions with their replicas, which do not exist yet."""

    topic: Topic
    assignments: Sequence[tuple[int, ...]]


class ReplicationControlManager:
    """Validates and applies the creation, extension and deletion of topics."""

    def __init__(
        self,
        options: Options,
        broker_ids: Sequence[int],
        configs: ConfigRepository,
        random: RandomSource,
        *,
        fenced: Container[int] = (),
    ) -> None:
        """Assign topics to these brokers, with ids and replicas chosen by `random`.

        `fenced` brokers are down: none of them leads, or is in sync.
        """
        self._fenced = fenced
        self._options = options
        self._refusals = options.admin_refusals
        self._broker_ids = broker_ids
        self._configs = configs
        self._random = random
        self.topics = TopicRegistry()

    # Creating

    def check_total(self, new_topics: Iterable[NewTopic]) -> None:
        """Limit the partitions of a request, before any of its topics is looked at.

        The release has the limit (`validateTotalNumberOfPartitions`).

        Raises:
            ApiError: POLICY_VIOLATION.

        """
        topics = self._options.topics
        if not topics.topics_are_summed_first:
            return
        total = 0
        for new_topic in new_topics:
            if new_topic.name not in topics.reserved_topics:
                total += len(new_topic.assignments) or max(0, self._wanted_partitions(new_topic))
            if total > topics.max_partitions_per_request:
                raise ApiError(
                    ErrorCode.POLICY_VIOLATION,
                    "Excessively large number of partitions per request.",
                )

    def plan_topics(self, new_topics: Iterable[NewTopic]) -> Iterator[PlannedTopic | ApiError]:
        """Yield a plan or a refusal for each topic of a request.

        Raises:
            ApiError: POLICY_VIOLATION for the whole request.

        """
        records = 0
        for new_topic in new_topics:
            try:
                planned = self._plan(new_topic)
            except ApiError as refusal:
                yield refusal
            else:
                records += planned.records
                self._check_batch(records)
                yield planned

    def plan_topic(self, new_topic: NewTopic) -> PlannedTopic:
        """Validate a new topic and choose its id and replicas; only the random source changes.

        Raises:
            ApiError: INVALID_TOPIC_EXCEPTION, TOPIC_ALREADY_EXISTS, INVALID_CONFIG,
                INVALID_PARTITIONS, INVALID_REPLICATION_FACTOR, INVALID_REPLICA_ASSIGNMENT,
                INVALID_REQUEST, POLICY_VIOLATION.

        """
        self.check_total([new_topic])
        planned = self._plan(new_topic)
        self._check_batch(planned.records)
        return planned

    def _plan(self, new_topic: NewTopic) -> PlannedTopic:
        self._check_name(new_topic.name)
        overrides = self._check_configs(new_topic.configs)
        if new_topic.assignments:
            assignments = self._manual_assignment(new_topic)
        else:
            assignments = self._automatic_assignment(new_topic)
        return PlannedTopic(
            name=new_topic.name,
            topic_id=self._random.uuid(),
            assignments=assignments,
            overrides=overrides,
        )

    def create_topic(self, planned: PlannedTopic) -> Topic:
        """Create a planned topic."""
        self._configs.set_topic_overrides(planned.name, planned.overrides)
        leader_configs = [
            self._configs.topic_config(planned.name, replicas[0])
            for replicas in planned.assignments
        ]
        topic = Topic(planned.name, planned.topic_id, planned.assignments, leader_configs)
        self._leave_out_fenced(topic.partitions)
        self.topics.add(topic)
        return topic

    def _leave_out_fenced(self, partitions: Sequence[Partition]) -> None:
        for partition in partitions:
            alive = tuple(each for each in partition.replicas if each not in self._fenced)
            if alive:
                partition.in_sync_replicas = alive
            partition.leader_id = alive[0] if alive else NO_LEADER

    def _placed(self, count: int, replication_factor: int) -> list[tuple[int, ...]]:
        """Assign partitions to running brokers; KRaft adds fenced ones if these are too few."""
        alive = [each for each in self._broker_ids if each not in self._fenced]
        away = [each for each in self._broker_ids if each in self._fenced]
        placed = assign_replicas(alive, count, min(replication_factor, len(alive)), self._random)
        added = tuple(away[: replication_factor - min(replication_factor, len(alive))])
        return [replicas + added for replicas in placed]

    def _available(self) -> int:
        """Count the brokers that can hold replicas of a new topic."""
        if not self._options.cluster_admin.controller_works_in_steps:
            return len(self._broker_ids)
        return sum(each not in self._fenced for each in self._broker_ids)

    def _check_name(self, name: str) -> None:
        check_topic_name(name, self._refusals)
        if name in self._options.topics.reserved_topics:
            raise self._refusals.topic_reserved.error(name)
        self.check_is_new(name)
        check_collision(name, self.topics.colliding(name), self._refusals)

    def check_is_new(self, name: str) -> None:
        """Raise TOPIC_ALREADY_EXISTS if a topic has the name."""
        if name in self.topics:
            raise ApiError(ErrorCode.TOPIC_ALREADY_EXISTS, f"Topic '{name}' already exists.")

    def _check_configs(self, configs: Sequence[tuple[str, str | None]]) -> dict[str, str]:
        unset = [name for name, value in configs if value is None]
        if unset:
            raise self._refusals.config_null_on_create.error(",".join(unset))
        overrides = {name: value for name, value in configs if value is not None}
        if overrides:
            self._check_overrides(overrides)
        return overrides

    def _check_overrides(self, overrides: Mapping[str, str]) -> None:
        definitions = self._configs.topic_definitions
        try:
            check_topic_overrides(overrides, definitions, self._configs.topic_values(None, None))
        except ApiError as refusal:
            if all(name in definitions for name in overrides):
                raise ApiError(self._options.topics.created_config_code, refusal.why) from None
            raise

    def _manual_assignment(self, new_topic: NewTopic) -> list[tuple[int, ...]]:
        if new_topic.replication_factor != DEFAULT_COUNT:
            raise self._refusals.assignment_and_replication_factor.error()
        if new_topic.num_partitions != DEFAULT_COUNT:
            raise self._refusals.assignment_and_partitions.error()
        assignments = numbered_assignment(
            new_topic.assignments, may_repeat=self._options.topics.assignment_numbers_may_repeat
        )
        check_assignment(dict(enumerate(assignments)), self._broker_ids, None, self._refusals)
        return assignments

    def _automatic_assignment(self, new_topic: NewTopic) -> list[tuple[int, ...]]:
        replication_factor = new_topic.replication_factor
        num_partitions = self._wanted_partitions(new_topic)
        if replication_factor == DEFAULT_COUNT:
            replication_factor = self._configs.broker_integer("default.replication.factor")
        self._check_positive(num_partitions, replication_factor)
        if replication_factor > self._available():
            raise self._refusals.replication_factor_too_large.error(
                replication_factor, self._available()
            )
        if all(each in self._fenced for each in self._broker_ids):
            why = (
                f"Unable to replicate the partition {replication_factor} time(s): All brokers are"
                " currently fenced."
            )
            raise ApiError(ErrorCode.INVALID_REPLICATION_FACTOR, why)
        # One more than the batch can hold is enough to refuse the request (`_check_batch`).
        most = self._options.topics.max_partitions_per_request + 1
        return self._placed(min(num_partitions, most), replication_factor)

    def _wanted_partitions(self, new_topic: NewTopic) -> int:
        if new_topic.num_partitions == DEFAULT_COUNT:
            return self._configs.broker_integer("num.partitions")
        return new_topic.num_partitions

    def _check_positive(self, num_partitions: int, replication_factor: int) -> None:
        counts = [
            (replication_factor, self._refusals.replication_factor_not_positive),
            (num_partitions, self._refusals.partitions_not_positive),
        ]
        if self._options.topics.partitions_are_checked_first:
            counts.reverse()
        for count, refusal in counts:
            if count <= 0:
                raise refusal.error()

    def _check_batch(self, records: int) -> None:
        """Limit the records of a request, which KRaft logs in one batch (`BoundedList`)."""
        topics = self._options.topics
        if topics.requests_are_batches and records > topics.max_partitions_per_request:
            raise ApiError(
                ErrorCode.POLICY_VIOLATION, "Unable to perform excessively large batch operation."
            )

    # Extending

    def plan_partitions(
        self, wanted: Iterable[MorePartitions]
    ) -> list[PlannedPartitions | ApiError]:
        """Return a plan or a refusal for each topic of a request.

        A refusal is UNKNOWN_TOPIC_OR_PARTITION, INVALID_PARTITIONS, INVALID_REPLICA_ASSIGNMENT or
        UNKNOWN_SERVER_ERROR.
        """
        limit = self._options.topics.max_partitions_per_request
        added = 0
        plans: list[PlannedPartitions | ApiError] = []
        for each in wanted:
            try:
                topic, additional = self._check_growth(each)
                if added + additional > limit:
                    added = limit  # up to 3.9, Kafka has logged those that its batch can hold
                    raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)
                plans.append(PlannedPartitions(topic, self._more_assignments(topic, each)))
                added += additional
            except ApiError as refusal:
                plans.append(refusal)
        return plans

    def check_additional(self, wanted: Iterable[MorePartitions]) -> None:
        """Check the sum of the partitions that a request adds, in releases that do so first.

        Raises:
            ApiError: POLICY_VIOLATION for the whole request.

        """
        if not self._options.topics.added_partitions_are_summed_first:
            return
        total = 0
        for each in wanted:
            topic = self.topics.get(each.name)
            if topic is not None:
                total += max(0, each.total - len(topic.partitions))
            if total > self._options.topics.max_partitions_per_request:
                raise ApiError(
                    ErrorCode.POLICY_VIOLATION,
                    "Excessively large number of additional partitions per request.",
                )

    def _check_growth(self, wanted: MorePartitions) -> tuple[Topic, int]:
        """Return the topic and the number of partitions that it lacks."""
        name, total, assignments = wanted
        topic = self.topics.get(name)
        if not name:
            raise self._refusals.new_partitions_unnamed_topic.error()
        if topic is None:
            raise self._refusals.new_partitions_unknown_topic.error(name)
        current = len(topic.partitions)
        if total == current:
            raise self._refusals.new_partitions_same_count.error(current)
        if total < current:
            raise self._refusals.new_partitions_fewer.error(current, total, name)
        additional = total - current
        if assignments is not None and len(assignments) != additional:
            raise self._refusals.new_partitions_assignments.error(additional, len(assignments))
        return topic, additional

    def _more_assignments(self, topic: Topic, wanted: MorePartitions) -> list[tuple[int, ...]]:
        current = len(topic.partitions)
        if wanted.assignments is None:
            return self._placed(wanted.total - current, topic.replication_factor)
        assignments = [tuple(broker_ids) for broker_ids in wanted.assignments]
        check_assignment(
            dict(enumerate(assignments, current)),
            self._broker_ids,
            topic.replication_factor,
            self._refusals,
        )
        return assignments

    def add_partitions(self, planned: PlannedPartitions) -> None:
        """Add planned partitions to a topic."""
        topic, assignments = planned
        topic.add_partitions(
            assignments,
            [self._configs.topic_config(topic.name, replicas[0]) for replicas in assignments],
        )
        self._leave_out_fenced(topic.partitions[-len(assignments) :])
        self.topics.changed(topic)

    # Deleting

    def delete_topic(self, topic: Topic) -> None:
        """Delete a topic with its records and configs."""
        for partition in topic.partitions:
            for log in partition.own_logs():
                log.delete()
            partition.log, partition.replicas_apart = None, {}
        self._configs.set_topic_overrides(topic.name, {})
        self.topics.remove(topic)
