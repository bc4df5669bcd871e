"""Start offsets of share groups: describe, alter and delete them (KIP-932, KIP-1226)."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import ZERO_UUID, Uuid
from mockbroker.state.group.classic.group_host import GroupCoordinatorHost
from mockbroker.state.group.consumer.consumer_group_host import ModernGroupStore
from mockbroker.state.group.share.persister import Persister
from mockbroker.state.group.share.share_group import ShareGroup
from mockbroker.state.group.share.share_membership import ShareMembership
from mockbroker.state.group.share.state_partitions import StatePartitions, TopicState
from mockbroker.state.share.share_log_record import SharePartitionKey

NO_START_OFFSET: Final = -1
NO_COUNT: Final = -1
NO_LAG: Final = -1


class ShareOffset(NamedTuple):
    """The start offset of a share partition."""

    partition: int
    start_offset: int = NO_START_OFFSET
    leader_epoch: int = 0
    lag: int = NO_LAG
    """How many records are not delivered completely."""


class AlteredTopic(NamedTuple):
    """The outcome of altered start offsets of a topic."""

    name: str
    topic_id: Uuid
    refusals: Mapping[int, ApiError | None]
    """None for a partition whose start offset was altered."""


class DeletedTopic(NamedTuple):
    """The outcome of deleted start offsets of a topic."""

    name: str
    topic_id: Uuid = ZERO_UUID
    refusal: ApiError | None = None


class ShareOffsets:
    """The start offsets of one broker's share groups."""

    __slots__ = ("_host", "_persister", "_shares", "_store")

    def __init__(
        self, host: GroupCoordinatorHost, store: ModernGroupStore, shares: ShareMembership
    ) -> None:
        """Use the groups in `store`, with their members."""
        self._host: Final = host
        self._store: Final = store
        self._shares: Final = shares
        self._persister: Final = Persister(host)

    # Describe

    def known_partitions(self, group_id: str) -> dict[str, list[int]]:
        """Return the share partitions of a group whose state has begun, by topic.

        Raises:
            ApiError: COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR.

        """
        group = self._store.get(group_id)
        if not isinstance(group, ShareGroup):
            return {}
        return {
            topic.name: sorted(topic.partitions)
            for topic_id, topic in group.known_state.initialized.items()
            if self._host.topics.by_id(topic_id) is not None
        }

    def topic_id(self, name: str) -> Uuid:
        """Return the id of a topic; zero if it does not exist."""
        topic = self._host.topics.get(name)
        return ZERO_UUID if topic is None else topic.topic_id

    def describe(self, group_id: str, name: str, index: int, now_ms: int) -> ShareOffset:
        """Return the start offset in a partition, whether or not the group exists."""
        key = SharePartitionKey(group_id, self.topic_id(name), index)
        partition = self._host.partition(name, index)
        if partition is None:
            return ShareOffset(index)
        try:
            state = self._persister.summary(key)
        except ApiError:
            # As in Kafka: the answer does not tell such errors.
            state = None
        if state is None:
            return ShareOffset(index)
        lag = NO_LAG
        if state.start_offset != NO_START_OFFSET and state.delivery_complete_count != NO_COUNT:
            end_offset = self._host.log_of(partition, now_ms).high_watermark
            lag = end_offset - state.start_offset - state.delivery_complete_count
        return ShareOffset(index, state.start_offset, state.leader_epoch, lag)

    # Alter

    def alter(
        self, group_id: str, topics: Mapping[str, Mapping[int, int]], now_ms: int
    ) -> list[AlteredTopic]:
        """Set start offsets, by topic and partition; this can create the group.

        Raises:
            ApiError: INVALID_GROUP_ID, COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR,
                GROUP_ID_NOT_FOUND, NON_EMPTY_GROUP, or a code of a failed append to the log.

        """
        _check_group_id(group_id)
        group = self._store.get(group_id) or ShareGroup(group_id)
        if not isinstance(group, ShareGroup):
            why = f"Group {group_id} is not a share group."
            raise ApiError(ErrorCode.GROUP_ID_NOT_FOUND, why)
        _check_empty(group)
        altered = [self._planned(name, offsets) for name, offsets in topics.items()]
        beginning = {
            topic.topic_id: TopicState(
                topic.name, frozenset(index for index, each in topic.refusals.items() if not each)
            )
            for topic in altered
            if topic.topic_id != ZERO_UUID
        }
        if not beginning:
            return altered
        self._shares.store_state(group, group.known_state.beginning(beginning), now_ms)
        start_offsets = {
            topic_id: {index: topics[topic.name][index] for index in sorted(topic.partitions)}
            for topic_id, topic in beginning.items()
        }
        refusals = self._persister.initialize(group_id, group.group_epoch, start_offsets, now_ms)
        if not refusals:
            stored = self._shares.known(group_id)
            self._shares.store_state(stored, stored.known_state.begun(beginning), now_ms)
        return [
            each._replace(refusals={**each.refusals, **refusals.get(each.topic_id, {})})
            for each in altered
        ]

    def _planned(self, name: str, offsets: Mapping[int, int]) -> AlteredTopic:
        topic = self._host.topics.get(name)
        unknown = ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        if topic is None:
            return AlteredTopic(name, ZERO_UUID, dict.fromkeys(offsets, unknown))
        return AlteredTopic(
            name,
            topic.topic_id,
            {index: None if index < len(topic.partitions) else unknown for index in offsets},
        )

    # Delete

    def delete(self, group_id: str, names: Sequence[str], now_ms: int) -> list[DeletedTopic]:
        """Delete the start offsets of topics of a group without members.

        Raises:
            ApiError: INVALID_GROUP_ID, COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR,
                GROUP_ID_NOT_FOUND, NON_EMPTY_GROUP, or a code of a failed append to the log.

        """
        _check_group_id(group_id)
        group = self._shares.known(group_id)
        _check_empty(group)
        known = group.state_partitions
        if known is None:
            return []
        ending, refused = self._ending(known, names)
        going = {topic_id: topic.name for topic_id, topic in ending.items()}
        self._shares.store_state(group, known.ending(going), now_ms)
        refusals = self._persister.delete(group_id, ending, now_ms)
        gone = [topic_id for topic_id in ending if topic_id not in refusals]
        if gone:
            stored = self._shares.known(group_id)
            self._shares.store_state(stored, stored.known_state.ended(gone), now_ms)
        outcomes = [
            DeletedTopic(name, topic_id, next(iter(refusals.get(topic_id, {}).values()), None))
            for topic_id, name in going.items()
        ]
        return outcomes + refused

    def _ending(
        self, known: StatePartitions, names: Sequence[str]
    ) -> tuple[dict[Uuid, TopicState], list[DeletedTopic]]:
        ending: dict[Uuid, TopicState] = {}
        refused: list[DeletedTopic] = []
        for name in dict.fromkeys(names):
            topic = self._host.topics.get(name)
            if topic is None:
                unknown = ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
                refused.append(DeletedTopic(name, refusal=unknown))
            elif topic.topic_id in known.initialized:
                ending[topic.topic_id] = known.initialized[topic.topic_id]
            elif topic.topic_id in known.deleting:
                everything = frozenset(range(len(topic.partitions)))
                ending[topic.topic_id] = TopicState(name, everything)
            else:
                why = "There is no offset information to delete."
                missing = ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, why)
                refused.append(DeletedTopic(name, refusal=missing))
        return ending, refused


def _check_group_id(group_id: str) -> None:
    if not group_id:
        raise ApiError(ErrorCode.INVALID_GROUP_ID, "The group id is invalid.")


def _check_empty(group: ShareGroup) -> None:
    if group.members:
        raise ApiError(ErrorCode.NON_EMPTY_GROUP, "The group is not empty.")
