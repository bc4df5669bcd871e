"""A broker's share coordinator: the persisted states of share partitions (KIP-932).

Rules:

1. A record is appended to `__share_group_state` first and then applied, by the function that also
   applies the records that a new coordinator loads.
2. Loading is pending work: a real coordinator does it shortly after its election.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Final, Protocol

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import Uuid
from mockbroker.state.config.config_repository import ConfigRepository
from mockbroker.state.coordinator.coordinator_log import LogHost
from mockbroker.state.events import SharePlace, ShareStateReset
from mockbroker.state.share.share_log_record import (
    ShareGroupOffset,
    ShareLogRecord,
    SharePartitionKey,
    ShareSnapshot,
)
from mockbroker.state.share.share_states import ShareStates, WrittenState
from mockbroker.state.share.state_batch import NO_START_OFFSET
from mockbroker.state.share.topic_share_log import TopicShareLog
from mockbroker.state.topic.internal_topics import coordinator_partition
from mockbroker.state.topic.topic import NO_LEADER, SHARE_GROUP_STATE, Partition
from mockbroker.state.topic.topic_registry import TopicRegistry

UPDATES_PER_SNAPSHOT: Final = "share.coordinator.snapshot.update.records.per.snapshot"
RETRIABLE: Final = frozenset(
    {
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
    }
)
PASSED_ON: Final = frozenset(
    {
        ErrorCode.GROUP_ID_NOT_FOUND,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.OFFSET_NOT_AVAILABLE,
    }
)
FENCED: Final = frozenset({ErrorCode.FENCED_LEADER_EPOCH, ErrorCode.FENCED_STATE_EPOCH})
_UNKNOWN: Final = "This server does not host this topic-partition."
_NEGATIVE: Final = "The {} cannot be a negative number."
_NOT_INITIALIZED: Final = "{} operation on uninitialized share partition not allowed."


class ShareCoordinatorHost(LogHost, Protocol):
    """The part of a cluster that a share coordinator uses; implemented by `ClusterState`."""

    @property
    def configs(self) -> ConfigRepository:
        """The configs of all brokers."""
        ...

    @property
    def topics(self) -> TopicRegistry:
        """The topics that exist."""
        ...

    def defer(self, name: str, run: Callable[[int], None]) -> None:
        """Schedule pending work to run right after the current answer."""
        ...


class ShareCoordinators(Protocol):
    """The share coordinators of a cluster; implemented by `ClusterState`."""

    @property
    def configs(self) -> ConfigRepository:
        """The configs of all brokers."""
        ...

    def partition(self, topic: str, index: int) -> Partition | None:
        """Return a partition, or None if the topic or partition does not exist."""
        ...

    def share_coordinator(self, broker_id: int) -> "ShareCoordinator":
        """Return a broker's share coordinator."""
        ...


def coordinator_of(host: ShareCoordinators, key: SharePartitionKey) -> "ShareCoordinator":
    """Return the share coordinator of a share partition.

    Raises:
        ApiError: COORDINATOR_NOT_AVAILABLE.

    """
    index = coordinator_partition(SHARE_GROUP_STATE, key.coordinator_key, host.configs)
    partition = host.partition(SHARE_GROUP_STATE, index)
    if partition is None or partition.leader_id == NO_LEADER:
        raise ApiError(ErrorCode.COORDINATOR_NOT_AVAILABLE, "there is no share coordinator")
    return host.share_coordinator(partition.leader_id)


class _Owned:
    """A partition of `__share_group_state` that the coordinator owns, under a leader epoch."""

    __slots__ = ("coordinator_epoch", "index", "states")

    def __init__(self, index: int, coordinator_epoch: int) -> None:
        self.index: Final = index
        self.coordinator_epoch: Final = coordinator_epoch
        self.states: Final = ShareStates()


class ShareCoordinator:
    """One broker's coordinator (Kafka's `ShareCoordinatorService`); times in ms since 1970.

    Each of the five operations is for one share partition, and raises an ApiError with
    COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR or COORDINATOR_NOT_AVAILABLE for a client that is
    to find the coordinator and try again.
    """

    __slots__ = ("_host", "_loading", "_log", "_owned", "broker_id")

    def __init__(self, broker_id: int, host: ShareCoordinatorHost) -> None:
        """Create a coordinator that owns no partitions."""
        self.broker_id: Final = broker_id
        self._host: Final = host
        self._log: Final = TopicShareLog(broker_id, host)
        self._owned: Final[dict[int, _Owned]] = {}
        self._loading: Final[dict[int, int]] = {}
        """The leader epochs of the partitions that are being loaded."""

    # Lifecycle

    def startup(self, _now_ms: int) -> None:
        """Do nothing: the coordinator has no timers."""

    def on_creation(self, partition_index: int, coordinator_epoch: int) -> None:
        """Own a new partition of `__share_group_state`, which has no records to load."""
        self._owned[partition_index] = _Owned(partition_index, coordinator_epoch)

    def on_election(self, partition_index: int, coordinator_epoch: int) -> None:
        """Take over a partition under its leader epoch, and load it a moment later."""
        self._owned.pop(partition_index, None)
        self._loading[partition_index] = coordinator_epoch
        self._host.defer(
            f"LoadShareState {SHARE_GROUP_STATE}-{partition_index}",
            partial(self._load, partition_index, coordinator_epoch),
        )

    def on_resignation(self, partition_index: int, coordinator_epoch: int | None = None) -> None:
        """Release a partition that moved to another broker, in `coordinator_epoch`, or is gone."""
        owned = self._owned.get(partition_index)
        held = self._loading.get(partition_index, -1) if owned is None else owned.coordinator_epoch
        if coordinator_epoch is None or coordinator_epoch >= held:
            self._owned.pop(partition_index, None)
            self._loading.pop(partition_index, None)

    def _load(self, partition_index: int, coordinator_epoch: int, _now_ms: int) -> None:
        if self._loading.get(partition_index) != coordinator_epoch:
            return
        del self._loading[partition_index]
        owned = self._owned[partition_index] = _Owned(partition_index, coordinator_epoch)
        for record in self._log.read(partition_index):
            owned.states.apply(record, updates_max=self._updates_max)

    def on_topic_deleted(self, topic_id: Uuid) -> None:
        """Delete the states of a topic that was deleted, a moment later."""
        if any(owned.states.keys_of_topic(topic_id) for owned in self._owned.values()):
            self._host.defer(f"ForgetShareState {topic_id}", partial(self._forget, topic_id))

    def _forget(self, topic_id: Uuid, now_ms: int) -> None:
        for owned in self._owned.values():
            for key in owned.states.keys_of_topic(topic_id):
                # Without a writable log the states stay, and so do their records.
                with suppress(ApiError):
                    self._append(owned, ShareSnapshot(key, None), now_ms)

    # Operations

    def initialize(
        self, key: SharePartitionKey, state_epoch: int, start_offset: int, now_ms: int
    ) -> None:
        """Begin the state of a share partition, or begin it anew.

        Raises:
            ApiError: INVALID_REQUEST, FENCED_STATE_EPOCH, UNKNOWN_TOPIC_OR_PARTITION.

        """
        owned = self._owner_of(key)
        _check_number("partition id", key.partition)
        _check_number("state epoch", state_epoch)
        owned.states.check_state_epoch(key, state_epoch)
        self._check_exists(key)
        record = owned.states.initialization(key, state_epoch, start_offset, now_ms)
        self._append(owned, record, now_ms)
        self._report_reset(key, start_offset, state_epoch)

    def read(self, key: SharePartitionKey, leader_epoch: int, now_ms: int) -> ShareGroupOffset:
        """Return the state for a share-partition leader, and fence the leaders before it.

        Raises:
            ApiError: INVALID_REQUEST, FENCED_LEADER_EPOCH, UNKNOWN_TOPIC_OR_PARTITION.

        """
        owned = self._owner_of(key)
        _check_number("partition id", key.partition)
        _check_number("leader epoch", leader_epoch)
        offset = owned.states.get(key)
        if offset is None:
            raise ApiError(ErrorCode.INVALID_REQUEST, _NOT_INITIALIZED.format("Read"))
        owned.states.check_leader_epoch(key, leader_epoch)
        self._check_exists(key)
        record = owned.states.new_leader(key, leader_epoch, now_ms, updates_max=self._updates_max)
        if record is not None:
            self._append(owned, record, now_ms)
        return offset

    def summary(self, key: SharePartitionKey) -> ShareGroupOffset | None:
        """Return the state, or None for a share partition that is not initialised.

        Raises:
            ApiError: INVALID_REQUEST, UNKNOWN_TOPIC_OR_PARTITION.

        """
        owned = self._owner_of(key)
        _check_number("partition id", key.partition)
        self._check_exists(key)
        return owned.states.get(key)

    def write(self, key: SharePartitionKey, written: WrittenState, now_ms: int) -> None:
        """Store what a share-partition leader writes.

        Raises:
            ApiError: INVALID_REQUEST, FENCED_LEADER_EPOCH, FENCED_STATE_EPOCH,
                UNKNOWN_TOPIC_OR_PARTITION.

        """
        owned = self._owner_of(key)
        _check_number("partition id", key.partition)
        _check_number("leader epoch", written.leader_epoch)
        _check_number("state epoch", written.state_epoch)
        if key not in owned.states:
            raise ApiError(ErrorCode.INVALID_REQUEST, _NOT_INITIALIZED.format("Write"))
        owned.states.check_leader_epoch(key, written.leader_epoch)
        owned.states.check_state_epoch(key, written.state_epoch)
        self._check_exists(key)
        record = owned.states.write(key, written, now_ms, updates_max=self._updates_max)
        self._append(owned, record, now_ms)

    def delete(self, key: SharePartitionKey, now_ms: int) -> None:
        """Delete the state of a share partition, if there is one.

        Raises:
            ApiError: INVALID_REQUEST, UNKNOWN_TOPIC_OR_PARTITION.

        """
        owned = self._owner_of(key)
        _check_number("partition id", key.partition)
        self._check_exists(key)
        if key in owned.states:
            self._append(owned, ShareSnapshot(key, None), now_ms)
            self._report_reset(key, NO_START_OFFSET, None)

    # Parts

    def _report_reset(
        self, key: SharePartitionKey, start_offset: int, state_epoch: int | None
    ) -> None:
        reporter = self._host.observation.reporter
        if reporter is not None:
            place = SharePlace(*key, self.broker_id)
            reporter.share_changed(ShareStateReset(place, start_offset, state_epoch))

    @property
    def _updates_max(self) -> int:
        return self._host.configs.broker_integer(UPDATES_PER_SNAPSHOT)

    def _owner_of(self, key: SharePartitionKey) -> _Owned:
        index = coordinator_partition(SHARE_GROUP_STATE, key.coordinator_key, self._host.configs)
        owned = self._owned.get(index)
        if owned is not None:
            return owned
        what = f"{SHARE_GROUP_STATE}-{index} of {key.coordinator_key}"
        if index in self._loading:
            raise ApiError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, f"{what} is being loaded")
        why = f"broker {self.broker_id} does not lead {what}"
        raise ApiError(ErrorCode.NOT_COORDINATOR, why)

    def _check_exists(self, key: SharePartitionKey) -> None:
        topic = self._host.topics.by_id(key.topic_id)
        if topic is None or topic.partition(key.partition) is None:
            raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, _UNKNOWN)

    def _append(self, owned: _Owned, record: ShareLogRecord, now_ms: int) -> None:
        self._log.append(
            owned.index, record, coordinator_epoch=owned.coordinator_epoch, now_ms=now_ms
        )
        owned.states.apply(record, updates_max=self._updates_max)

    def as_text(self) -> list[str]:
        """Return the coordinator's state as text in a stable form."""
        lines = [
            f"loads {index} in epoch {leader_epoch}"
            for index, leader_epoch in sorted(self._loading.items())
        ]
        for index, owned in sorted(self._owned.items()):
            lines += [f"{index}: {line}" for line in owned.states.as_text()]
        return lines


def _check_number(name: str, number: int) -> None:
    if number < 0:
        raise ApiError(ErrorCode.INVALID_REQUEST, _NEGATIVE.format(name))


def as_answered(refusal: ApiError, operation: str) -> ApiError:
    """Return the error that a share-partition leader makes of one of its share coordinator."""
    code = ErrorCode.UNKNOWN_SERVER_ERROR
    if refusal.code in RETRIABLE:
        code = ErrorCode.COORDINATOR_NOT_AVAILABLE
    elif refusal.code in PASSED_ON:
        code = refusal.code
    elif refusal.code in FENCED:
        code = ErrorCode.NOT_LEADER_OR_FOLLOWER
    return ApiError(code, f"Error in {operation} state RPC. {refusal.why}")
