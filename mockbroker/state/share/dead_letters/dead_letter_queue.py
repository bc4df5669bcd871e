"""Delivery of dead letters to the topics that share groups name for them (KIP-1191).

Rules:

1. `WriteDeadLetters <group> <partition> <offsets>` is pending work: it checks the configs anew,
   creates the topic if that is missing and allowed (`CreateTopics <topic>`, pending work too), and
   writes as many records as fit into a batch of the topic.
2. A partition without a leader is tried again after 2, 4, 8 and 16 seconds; Kafka's delays differ
   by up to a fifth at random. Every other failure is final.
3. Records are archived when they are written, and also when they cannot be.
4. The dead letters of a group that a test holds (`HeldDeadLetters`) wait for its next step.
"""

from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple, Protocol

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.config.config_repository import ConfigRepository
from mockbroker.state.coordinator.holds import HeldDeadLetters
from mockbroker.state.share.dead_letters.dead_letter import DeadLetters
from mockbroker.state.share.share_settings import DeadLetterSettings, dead_letter_settings
from mockbroker.state.timers import Timers
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.state.topic.topic import NO_LEADER, Partition, Topic
from mockbroker.state.topic.topic_registry import TopicRegistry

GROUP_ENABLE: Final = "errors.deadletterqueue.group.enable"
BACKOFF_MS: Final = 1000
ATTEMPTS: Final = 5
_RESERVED_PREFIX: Final = "__"
_RETRIED: Final = frozenset({ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.LEADER_NOT_AVAILABLE})


class DeadLetterHost(Protocol):
    """The part of a cluster that a dead-letter queue uses; implemented by `ClusterState`."""

    @property
    def configs(self) -> ConfigRepository:
        """The configs of all brokers."""
        ...

    @property
    def topics(self) -> TopicRegistry:
        """The topics that exist."""
        ...

    @property
    def timers(self) -> Timers:
        """The timers of the cluster."""
        ...

    @property
    def held_dead_letters(self) -> HeldDeadLetters:
        """The groups whose dead letters wait."""
        ...

    def defer(self, name: str, run: Callable[[int], None]) -> None:
        """Schedule pending work to run right after the current answer."""
        ...

    def create_topic(self, new_topic: NewTopic) -> Topic:
        """Create a topic at once; raise an ApiError if that is impossible."""
        ...


class DeadLetterWriter(Protocol):
    """Port to the log of a dead-letter queue: the service layer builds and appends the records."""

    def write(self, letters: DeadLetters, to: Partition, *, is_copied: bool) -> int:
        """Append as many of the records as fit into a batch; return the offset of the last one.

        Raises:
            ApiError: the partition refuses the batch.

        """
        ...

    def refused(self, letters: DeadLetters, refusal: ApiError) -> None:
        """Report that records are archived without being dead letters."""
        ...


class _Delivery:
    """Dead letters that are being written; `rest` are those that are not yet."""

    __slots__ = ("archive", "attempts", "rest")

    def __init__(self, letters: DeadLetters, archive: Callable[[int], None]) -> None:
        self.rest = letters
        self.archive: Final = archive
        self.attempts = 0
        """The number of failures since the last success."""


class _Queue(NamedTuple):
    """The topic of a group's dead letters, if it exists."""

    settings: DeadLetterSettings
    topic: Topic | None


class DeadLetterQueue:
    """One broker's dead letters (Kafka's `ShareGroupDLQStateManager`). Times in ms since 1970."""

    __slots__ = ("_broker_id", "_host", "_is_stopped", "_writer")

    def __init__(self, broker_id: int, host: DeadLetterHost, writer: DeadLetterWriter) -> None:
        """Start empty."""
        self._broker_id: Final = broker_id
        self._host: Final = host
        self._writer: Final = writer
        self._is_stopped = False

    def stop(self) -> None:
        """Forget what is not written yet, as when the broker crashes; its records stay ARCHIVING.

        The next leader of their share partition writes them.
        """
        self._is_stopped = True

    def replaced_by(self, host: DeadLetterHost) -> "DeadLetterQueue":
        """Stop, and return an empty queue of another state of the broker's cluster."""
        self.stop()
        return DeadLetterQueue(self._broker_id, host, self._writer)

    def enqueue(self, letters: DeadLetters, archive: Callable[[int], None]) -> None:
        """Write dead letters a moment later; then, and also if that fails, call `archive`."""
        self._defer(_Delivery(letters, archive))

    def _defer(self, delivery: _Delivery) -> None:
        name = f"WriteDeadLetters {delivery.rest.name}"
        self._host.defer(name, partial(self._run, name, delivery))

    def _run(self, name: str, delivery: _Delivery, now_ms: int) -> None:
        if self._is_stopped:
            return
        group_id, held = delivery.rest.group_id, self._host.held_dead_letters
        if group_id in held:
            held.wait(group_id, name, partial(self._write, delivery))
        else:
            self._write(delivery, now_ms)

    def _write(self, delivery: _Delivery, now_ms: int) -> None:
        if self._is_stopped:
            return
        try:
            settings, topic = self._queue(delivery.rest)
            if topic is None:
                self._host.defer(
                    f"CreateTopics {settings.topic}",
                    partial(self._create, delivery, settings.topic),
                )
                return
            written = self._append(delivery.rest, topic, is_copied=settings.copies_records)
        except ApiError as refusal:
            self._failed(delivery, refusal, now_ms)
            return
        delivery.attempts = 0
        if written < delivery.rest.last_offset:
            delivery.rest = delivery.rest._replace(first_offset=written + 1)
            self._defer(delivery)
        else:
            delivery.archive(now_ms)

    def _append(self, letters: DeadLetters, topic: Topic, *, is_copied: bool) -> int:
        index = letters.source.topic_partition.partition % len(topic.partitions)
        partition = topic.partitions[index]
        if partition.leader_id == NO_LEADER:
            why = f"{partition.topic_partition} has no leader"
            raise ApiError(ErrorCode.LEADER_NOT_AVAILABLE, why)
        return self._writer.write(letters, partition, is_copied=is_copied)

    def _queue(self, letters: DeadLetters) -> _Queue:
        """Return the group's topic, which may have to be created.

        Raises:
            ApiError: INVALID_CONFIG, with Kafka's reason, if the topic must not be used.

        """
        configs, group_id = self._host.configs, letters.group_id
        settings = dead_letter_settings(configs, group_id, self._broker_id)
        name = settings.topic
        of_group = f"for share group: {group_id}, topic: {name}"
        if not name:
            raise _invalid(f"Configured DLQ topic name in share group: {group_id} is empty.")
        if name.startswith(_RESERVED_PREFIX):
            raise _invalid(
                f"Configured DLQ topic name in share group: {group_id} cannot start with __,"
                f" topic: {name}."
            )
        topic = self._host.topics.get(name)
        enabled = configs.topic_overrides.get(name, {}).get(GROUP_ENABLE, "false")
        if topic is not None and enabled.lower() != "true":
            raise _invalid(f"DLQ is not enabled on configured DLQ topic {of_group}.")
        if topic is None and not settings.creates_topic:
            raise _invalid(
                f"DLQ topic does not exist and auto create is disabled on cluster {of_group}."
            )
        if not name.startswith(settings.topic_prefix):
            raise _invalid(
                "Configured DLQ topic name does not comply with the DLQ topic prefix in share"
                f" group: {group_id}, topic: {name}, prefix: {settings.topic_prefix}."
            )
        return _Queue(settings, topic)

    def _create(self, delivery: _Delivery, name: str, now_ms: int) -> None:
        if self._is_stopped:
            return
        if name not in self._host.topics:
            configs = [(GROUP_ENABLE, "true"), ("message.timestamp.type", "CreateTime")]
            try:
                self._host.create_topic(NewTopic(name=name, configs=configs))
            except ApiError as refusal:
                self._failed(delivery, refusal, now_ms)
                return
        self._defer(delivery)

    def _failed(self, delivery: _Delivery, refusal: ApiError, now_ms: int) -> None:
        delivery.attempts += 1
        if refusal.code in _RETRIED and delivery.attempts < ATTEMPTS:
            name = f"WriteDeadLetters {self._broker_id} {delivery.rest.name}"
            retry_ms = now_ms + BACKOFF_MS * (1 << delivery.attempts)
            self._host.timers.schedule(name, retry_ms, partial(self._run, name, delivery))
        else:
            self._writer.refused(delivery.rest, refusal)
            delivery.archive(now_ms)


def _invalid(why: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_CONFIG, why)
