"""Membership of share groups: ShareGroupHeartbeat, session timeouts and share partitions (KIP-932).

Rules:

1. A heartbeat first computes all records from the group as it is; then they are appended, and
   change the group. A refused heartbeat changes nothing.
2. Members get their target assignment at once: share partitions need not be released by others.
3. Only share partitions whose state has begun are assigned. The states of a topic's partitions
   begin as pending work after the heartbeat that finds them.
4. A member that a test holds keeps what it has; its epoch does not change.
5. A member ends when its session does. Its acquired records are released when its connection to
   their leader closes, or when their locks expire, as in Kafka.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import Uuid
from mockbroker.state.config.named_configs import group_integer
from mockbroker.state.group.classic.group_host import GroupCoordinatorHost
from mockbroker.state.group.classic.group_timers import MEMBER, GroupTimer, GroupTimers
from mockbroker.state.group.consumer.consumer_group_host import ModernGroupStore
from mockbroker.state.group.modern.modern_records import (
    CurrentAssignmentRecord,
    GroupEpoch,
    GroupEpochRecord,
    MemberMetadata,
    MemberRecord,
    ModernRecord,
    TargetAssignmentRecord,
    TargetEpoch,
    TargetEpochRecord,
)
from mockbroker.state.group.modern.topic_metadata import TopicMetadata
from mockbroker.state.group.share.persister import Persister, StartOffsets
from mockbroker.state.group.share.share_group import ShareGroup, ShareGroupMember
from mockbroker.state.group.share.share_heartbeat import ShareHeartbeat, ShareHeartbeatResult
from mockbroker.state.group.share.share_target import ShareTargetUpdate
from mockbroker.state.group.share.state_partitions import (
    StatePartitions,
    StatePartitionsRecord,
    TopicState,
    TopicStates,
    combined,
)

MAX_SIZE: Final = "group.share.max.size"
SESSION_TIMEOUT: Final = "share.session.timeout.ms"
HEARTBEAT_INTERVAL: Final = "share.heartbeat.interval.ms"
RETRY_INTERVAL: Final = "group.share.initialize.retry.interval.ms"
RETRY_MS: Final = 500
"""Delay until a timeout is tried again, if its records could not be appended."""
NO_START_OFFSET: Final = -1
FIRST_OFFSET: Final = 0
"""Where a group begins in a partition that is new in a topic it knows."""


class ShareMembership:
    """The members of one broker's share groups."""

    __slots__ = ("_broker_id", "_host", "_persister", "_store", "_targets", "_timers", "topics")

    def __init__(
        self,
        broker_id: int,
        host: GroupCoordinatorHost,
        store: ModernGroupStore,
        topics: TopicMetadata,
    ) -> None:
        """Start without groups."""
        self._broker_id: Final = broker_id
        self._host: Final = host
        self._store: Final = store
        self.topics: Final = topics
        self._persister: Final = Persister(host)
        self._targets: Final = ShareTargetUpdate(broker_id, host, topics)
        self._timers: Final = GroupTimers(
            host.timers, f"share groups of broker {broker_id}", self._on_due
        )

    def on_loaded(self, group: ShareGroup, now_ms: int) -> None:
        """Resume a group that was loaded: sessions start again."""
        group.initializing_ms = now_ms
        for member_id in group.members:
            self._renew_session(group, member_id, now_ms)

    # Heartbeat

    def heartbeat(self, request: ShareHeartbeat, now_ms: int) -> ShareHeartbeatResult:
        """Let a member join, stay or leave; return its share partitions, if they have changed.

        Raises:
            ApiError: COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR, GROUP_ID_NOT_FOUND,
                GROUP_MAX_SIZE_REACHED, UNKNOWN_MEMBER_ID, FENCED_MEMBER_EPOCH, or a code of a
                failed append to the log.

        """
        if request.member_epoch < 0:
            return self._leave(request, now_ms)
        group = self._group_of(request)
        self._check_size(group, request.member_id)
        member = self._joined(group, request)
        updated = member._replace(metadata=_described(member.metadata, request))
        kind, group_id, member_id = group.kind, group.group_id, member.member_id
        records: list[ModernRecord] = []
        if updated != member:
            records.append(MemberRecord(kind, group_id, member_id, updated.metadata))
        target = self._targets.update(group, member, updated, now_ms)
        records += target.records
        current = self._targets.reconciled(group_id, updated, target)
        if current != member.current:
            records.append(CurrentAssignmentRecord(kind, group_id, member_id, current))
        topics = self._uninitialized(group, target.subscribers, now_ms)
        offsets = _start_offsets(group, topics)
        if topics:
            state = group.known_state.beginning(topics)
            records.append(StatePartitionsRecord(kind, group_id, state))
        stored = self._append(group, records, now_ms) if records else group
        stored.topics_revision = target.topics_revision
        self._renew_session(stored, member_id, now_ms)
        if topics:
            self._begin_later(stored, target.group_epoch, offsets, topics)
        is_told = request.joins or request.subscribed_topic_names is not None
        is_told = is_told or current.assigned != member.current.assigned
        return ShareHeartbeatResult(
            member_id,
            current.member_epoch,
            self._integer(HEARTBEAT_INTERVAL, group_id),
            current.assigned if is_told else None,
        )

    def _group_of(self, request: ShareHeartbeat) -> ShareGroup:
        group = self._store.get(request.group_id)
        if group is None:
            if not request.joins:
                raise _not_found(f"Share group {request.group_id} not found.")
            return ShareGroup(request.group_id)
        if isinstance(group, ShareGroup):
            return group
        raise _not_found(f"Group {request.group_id} is not a share group.")

    def known(self, group_id: str) -> ShareGroup:
        """Return a group.

        Raises:
            ApiError: COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR, GROUP_ID_NOT_FOUND.

        """
        group = self._store.get(group_id)
        if isinstance(group, ShareGroup):
            return group
        what = "not found" if group is None else "is not a share group"
        raise _not_found(f"Group {group_id} {what}.")

    def _check_size(self, group: ShareGroup, member_id: str) -> None:
        most = self._host.configs.broker_integer(MAX_SIZE, self._broker_id)
        if len(group.members) >= most and member_id not in group.members:
            raise ApiError(
                ErrorCode.GROUP_MAX_SIZE_REACHED,
                f"The share group has reached its maximum capacity of {most} members.",
            )

    def _joined(self, group: ShareGroup, request: ShareHeartbeat) -> ShareGroupMember:
        if request.joins:
            return group.members.get(request.member_id) or ShareGroupMember(request.member_id)
        member = group.member(request.member_id)
        _check_member_epoch(member, request.member_epoch)
        return member

    def _append(
        self, group: ShareGroup, records: Sequence[ModernRecord], now_ms: int
    ) -> ShareGroup:
        """Append records of a group, and report its change; return the group."""
        before, members = group.state_title, tuple(group.members)
        self._store.append(group.group_id, records, now_ms)
        stored = self._store.find(group.group_id)
        assert isinstance(stored, ShareGroup), group.group_id
        if any(isinstance(record, StatePartitionsRecord) for record in records):
            stored.initializing_ms = now_ms
        reporter, after = self._host.observation.reporter, stored.state_title
        if reporter is not None and (before != after or members != tuple(stored.members)):
            reporter.group_changed(
                group.group_id, (before, after), stored.group_epoch, stored.members
            )
        return stored

    # Share partitions

    def _uninitialized(
        self, group: ShareGroup, names: Mapping[str, int], now_ms: int
    ) -> dict[Uuid, TopicState]:
        """Return the subscribed share partitions whose state neither has begun nor is about to."""
        known = group.known_state
        retry_ms = self._host.configs.broker_integer(RETRY_INTERVAL, self._broker_id)
        states = known.initialized
        if now_ms - group.initializing_ms < retry_ms:
            states = combined(states, known.initializing)
        found: dict[Uuid, TopicState] = {}
        for name in names:
            topic = self._host.topics.get(name)
            if topic is None:
                continue
            of_topic = states[topic.topic_id].partitions if topic.topic_id in states else ()
            if len(of_topic) < len(topic.partitions):
                rest = frozenset(range(len(topic.partitions))).difference(of_topic)
                found[topic.topic_id] = TopicState(name, rest)
        return found

    def _begin_later(
        self, group: ShareGroup, state_epoch: int, offsets: StartOffsets, topics: TopicStates
    ) -> None:
        self._host.defer(
            f"InitializeShareGroupState {group.group_id}",
            partial(self._begin, group.group_id, state_epoch, offsets, topics),
        )

    def _begin(
        self,
        group_id: str,
        state_epoch: int,
        offsets: StartOffsets,
        topics: TopicStates,
        now_ms: int,
    ) -> None:
        """Begin the states of share partitions; after a failure, a later heartbeat tries again."""
        refusals = self._persister.initialize(group_id, state_epoch, offsets, now_ms)
        group = self._store.find(group_id)
        if isinstance(group, ShareGroup):
            known = group.known_state
            state = known.failed(topics) if refusals else known.begun(topics)
            with suppress(ApiError):
                self.store_state(group, state, now_ms)

    def store_state(self, group: ShareGroup, state: StatePartitions, now_ms: int) -> None:
        """Append the share partitions of a group.

        Raises:
            ApiError: As a failed append to the log.

        """
        self._append(group, [StatePartitionsRecord(group.kind, group.group_id, state)], now_ms)

    def forget_states(self, group: ShareGroup, now_ms: int) -> None:
        """Delete the states of all share partitions of a group that is about to end.

        Raises:
            ApiError: As the share coordinator, or a failed append to the log.

        """
        if group.state_partitions is None:
            return
        known = group.state_partitions
        counts = self.topics.partition_counts(known.deleting)
        again = {
            topic_id: TopicState(known.deleting[topic_id], frozenset(range(count)))
            for topic_id, count in counts.items()
        }
        topics = combined(combined(known.initialized, known.initializing), again)
        names = {topic_id: topic.name for topic_id, topic in topics.items()}
        self.store_state(group, StatePartitions(deleting=names), now_ms)
        for of_topic in self._persister.delete(group.group_id, topics, now_ms).values():
            for refusal in of_topic.values():
                raise refusal

    def on_topic_deleted(self, topic_id: Uuid) -> None:
        """Forget the share partitions of a topic that was deleted, a moment later."""
        if any(topic_id in group.known_state.every_topic for group in self._groups()):
            self._host.defer(f"ForgetSharePartitions {topic_id}", partial(self._forget, topic_id))

    def _groups(self) -> list[ShareGroup]:
        return [group for group in self._store if isinstance(group, ShareGroup)]

    def _forget(self, topic_id: Uuid, now_ms: int) -> None:
        for group in self._groups():
            if topic_id in group.known_state.every_topic:
                # Without a writable log the share partitions stay, and so do their records.
                with suppress(ApiError):
                    self.store_state(group, group.known_state.without_topic(topic_id), now_ms)

    # Leaving

    def _leave(self, request: ShareHeartbeat, now_ms: int) -> ShareHeartbeatResult:
        group = self.known(request.group_id)
        self.fence(group, group.member(request.member_id), now_ms)
        return ShareHeartbeatResult(request.member_id, request.member_epoch)

    def fence(self, group: ShareGroup, member: ShareGroupMember, now_ms: int) -> None:
        """Remove a member, and begin an epoch of the group.

        Raises:
            ApiError: As a failed append to the log.

        """
        kind, group_id, member_id = group.kind, group.group_id, member.member_id
        rest = group.subscribers_with(None, member_id)
        value = GroupEpoch(group.group_epoch + 1, self.topics.hash_of(rest))
        records: list[ModernRecord] = [
            CurrentAssignmentRecord(kind, group_id, member_id, None),
            TargetAssignmentRecord(kind, group_id, member_id, None),
            MemberRecord(kind, group_id, member_id, None),
            GroupEpochRecord(kind, group_id, value),
        ]
        if len(group.members) == 1:
            records.append(TargetEpochRecord(kind, group_id, TargetEpoch(value.group_epoch)))
        self._append(group, records, now_ms)

    # Timeouts

    def _renew_session(self, group: ShareGroup, member_id: str, now_ms: int) -> None:
        deadline_ms = now_ms + self._integer(SESSION_TIMEOUT, group.group_id)
        group.sessions_ms[member_id] = deadline_ms
        self._timers.watch(GroupTimer(group.group_id, MEMBER, member_id), deadline_ms)

    def _on_due(self, timer: GroupTimer, now_ms: int) -> None:
        group = self._store.find(timer.group_id)
        if not isinstance(group, ShareGroup) or timer.member_id not in group.members:
            return
        deadline_ms = group.sessions_ms.get(timer.member_id)
        if deadline_ms is None:
            return
        if deadline_ms > now_ms:
            self._timers.watch(timer, deadline_ms)
            return
        try:
            self.fence(group, group.members[timer.member_id], now_ms)
        except ApiError:
            self._timers.watch(timer, now_ms + RETRY_MS)

    def _integer(self, name: str, group_id: str) -> int:
        return group_integer(self._host.configs, name, group_id, self._broker_id)


def _described(known: MemberMetadata, request: ShareHeartbeat) -> MemberMetadata:
    names = request.subscribed_topic_names
    return MemberMetadata(
        request.client_id,
        request.client_host,
        rack_id=known.rack_id if request.rack_id is None else request.rack_id,
        subscribed_topic_names=known.subscribed_topic_names if names is None else names,
    )


def _check_member_epoch(member: ShareGroupMember, received: int) -> None:
    known, previous = member.member_epoch, member.current.previous_member_epoch
    if received in (known, previous):
        return
    how, but = "greater", ""
    if received < known:
        how, but = "smaller", f", and it does not match the previous member epoch ({previous})"
    raise ApiError(
        ErrorCode.FENCED_MEMBER_EPOCH,
        f"The share group member has a {how} member epoch ({received}) than the one known by the"
        f" group coordinator ({known}){but}. The member must abandon all its partitions and"
        " rejoin.",
    )


def _start_offsets(group: ShareGroup, topics: TopicStates) -> StartOffsets:
    known = group.known_state.topic_ids
    return {
        topic_id: dict.fromkeys(
            sorted(topic.partitions), FIRST_OFFSET if topic_id in known else NO_START_OFFSET
        )
        for topic_id, topic in topics.items()
    }


def _not_found(why: str) -> ApiError:
    return ApiError(ErrorCode.GROUP_ID_NOT_FOUND, why)
