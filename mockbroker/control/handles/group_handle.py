"""Handle of a group: reads its members, fences one, and holds their next assignments."""

from collections.abc import Callable
from typing import TypeVar

from mockbroker.broker.service import Service
from mockbroker.control.cluster_control import ClusterControl, action
from mockbroker.control.handles.coordinator_lookup import coordinator_id
from mockbroker.control.handles.group_info import GroupInfo, MemberInfo, group_info
from mockbroker.control.handles.partition_handle import PartitionHandle
from mockbroker.control.handles.share_info import (
    InFlightRecords,
    SharePartitionInfo,
    share_partition_keys,
    share_partitions_of,
)
from mockbroker.control.handles.shown import Displayed, Facts, ShownState, facts_of
from mockbroker.state.cluster_state import ClusterState
from mockbroker.state.group.group import Group, GroupKind
from mockbroker.state.group.group_interventions import (
    begin_rebalance,
    fence_member,
    resume_rebalance,
)
from mockbroker.state.group.share.share_group import ShareGroup
from mockbroker.state.share.record_state import RecordState
from mockbroker.state.share.share_log_record import SharePartitionKey
from mockbroker.state.topic.internal_topics import coordinator_partition
from mockbroker.state.topic.topic import CONSUMER_OFFSETS, SHARE_GROUP_STATE

T = TypeVar("T")


class GroupHandle(Displayed):
    """A group of any kind; every property is read from the present state.

    Raises:
        LookupError: by any of its members, while no coordinator knows it, or none is there yet.

    """

    def __init__(self, control: ClusterControl, group_id: str) -> None:
        """Name a group."""
        self._control = control
        self.group_id = group_id

    @property
    def info(self) -> GroupInfo:
        """All properties of one moment."""
        return self._read(group_info)

    @property
    def kind(self) -> str:
        """The protocol of its members: `classic`, `consumer`, `share` or `streams`."""
        return self.info.kind

    @property
    def state(self) -> str:
        """The state by Kafka's name, such as `Stable`, `Reconciling` or `PreparingRebalance`."""
        return self.info.state

    @property
    def coordinator(self) -> int:
        """The id of the broker that coordinates it."""
        return self.info.coordinator

    @property
    def group_epoch(self) -> int:
        """The group's epoch; the generation of a classic group."""
        return self.info.group_epoch

    @property
    def assignment_epoch(self) -> int:
        """The epoch of the target assignment; in a classic group, the last assigned generation."""
        return self.info.assignment_epoch

    @property
    def members(self) -> dict[str, MemberInfo]:
        """The members by their ids, in the order in which they joined."""
        return self.info.members

    @property
    def offsets(self) -> dict[tuple[str, int], int]:
        """The committed offsets by topic and partition."""
        return self.info.offsets

    @property
    def is_held(self) -> bool:
        """True between `hold_reconciliation` and `release`."""
        return self.info.is_held

    @action
    def fence(self, member_id: str) -> None:
        """Remove a member, as its coordinator does when the member's session ends.

        Its partitions go to the others. The member learns of it by its next request, which gets
        UNKNOWN_MEMBER_ID; clients then give up their partitions and join again. In a share group
        its records stay acquired, until its connection closes or their locks expire.

        Raises:
            ApiError: The removal cannot be logged; nothing has changed.
            LookupError: the group has no such member.

        """

        def fenced(cluster: ClusterState, now_ms: int) -> None:
            broker_id, group = self._find(cluster)
            coordinator = cluster.group_coordinator(broker_id)
            self._control.note("member_fenced", group=self.group_id, member_id=member_id)
            fence_member(coordinator, group, member_id, now_ms)

        self._control.change(fenced)

    @action
    def rebalance(self) -> None:
        """Begin a rebalance, as after a member has joined and left again.

        All members of a classic group have to join again, and get the next generation. They learn
        of it by their next heartbeat, which gets REBALANCE_IN_PROGRESS; a rebalance that is under
        way goes on. A group with the consumer protocol begins an epoch, and a target assignment
        with it: commits of a member that was told of it need the new epoch.

        Raises:
            ApiError: The epoch cannot be logged; nothing has changed.
            LookupError: no coordinator knows the group.
            ValueError: it has no members, or is a share or streams group.

        """

        def begun(cluster: ClusterState, now_ms: int) -> None:
            broker_id, group = self._find(cluster)
            self._control.note("rebalance_begun", group=self.group_id)
            begin_rebalance(cluster.group_coordinator(broker_id), group, now_ms)

        self._control.change(begun)

    @action
    def hold_reconciliation(self) -> None:
        """Keep the members from new assignments, until `step` or `release`.

        Epochs and target assignments are computed and logged. But a member keeps what it has, and
        is not asked to give anything up; a member that joins gets nothing, as if others had not
        released its partitions yet. Members of a share group keep what they fetch from. In a
        classic group, the next rebalance does not complete: JoinGroup is not answered. The group
        need not exist yet.
        """

        def held(cluster: ClusterState, _now_ms: int) -> None:
            self._control.note("reconciliation_held", group=self.group_id)
            cluster.held_reconciliations.hold(self.group_id)

        self._control.change(held)

    @action
    def step(self, member_id: str) -> None:
        """Let one member of a held group take its next step, in its next heartbeat.

        A step is to learn what to give up, or, once nothing is left to give up, to get what nobody
        else has.

        Raises:
            LookupError: the group has no such member.
            ValueError: the group is not held, or is classic: its members all step at once.

        """

        def stepped(cluster: ClusterState, _now_ms: int) -> None:
            _, group = self._find(cluster)
            if member_id not in group.members:
                raise LookupError(f"group {self.group_id!r} has no member {member_id!r}")
            if self.group_id not in cluster.held_reconciliations:
                raise ValueError(f"group {self.group_id!r} is not held")
            if group.kind is GroupKind.CLASSIC:
                raise ValueError("the members of a classic group step together: release it")
            cluster.held_reconciliations.allow_step(self.group_id, member_id)

        self._control.change(stepped)

    @action
    def release(self) -> None:
        """Hold the members no more: they get their assignments in their next heartbeats."""

        def released(cluster: ClusterState, now_ms: int) -> None:
            self._control.note("reconciliation_released", group=self.group_id)
            cluster.held_reconciliations.release(self.group_id)
            group = self._known(cluster)
            if group is not None:
                broker_id, _ = self._find(cluster)
                resume_rebalance(cluster.group_coordinator(broker_id), group, now_ms)

        self._control.change(released)

    @action
    def hold_dead_letters(self) -> None:
        """Hold the dead letters of a share group, until `step_dead_letters` or their release.

        Records that are rejected, or were delivered too often, are ARCHIVING then, as while a
        broker writes them to the dead-letter queue. The group need not exist yet.
        """

        def held(cluster: ClusterState, _now_ms: int) -> None:
            self._control.note("dead_letters_held", group=self.group_id)
            cluster.held_dead_letters.hold(self.group_id)

        self._control.change(held)

    @property
    def held_dead_letters(self) -> tuple[str, ...]:
        """The names of the dead letters that wait, in the order in which they are written."""
        return self._control.read(
            lambda cluster, _now_ms: cluster.held_dead_letters.waiting(self.group_id)
        )

    @action
    def step_dead_letters(self) -> str | None:
        """Write what has waited longest, and return its name; None if nothing waits."""
        return self._control.change(
            lambda cluster, now_ms: cluster.held_dead_letters.step(self.group_id, now_ms)
        )

    @action
    def release_dead_letters(self) -> None:
        """Write all dead letters that wait, and hold no more."""

        def released(cluster: ClusterState, now_ms: int) -> None:
            self._control.note("dead_letters_released", group=self.group_id)
            cluster.held_dead_letters.release(self.group_id, now_ms)

        self._control.change(released)

    @action
    def move_coordinator(self, broker_id: int | None = None) -> int:
        """Move the coordinator to a broker, by default the next replica; return the broker's id.

        The new coordinator knows only what it loads from the group's partition of
        `__consumer_offsets`. The records of a share group stay acquired: the leaders of its
        partitions know of them (`PartitionHandle.elect`), and the share coordinators
        (`move_share_coordinator`).

        Raises:
            ValueError: the broker holds no replica of that partition.

        """
        index = self._control.read(
            lambda cluster, _now_ms: coordinator_partition(
                CONSUMER_OFFSETS, self.group_id, cluster.configs
            )
        )
        return PartitionHandle(self._control, CONSUMER_OFFSETS, index).elect(broker_id)

    # Share groups

    @property
    def share_partitions(self) -> dict[tuple[str, int], SharePartitionInfo]:
        """The partitions of a share group, with their records in flight, by topic and partition.

        Raises:
            ValueError: it is not a share group.

        """
        return self._control.time(
            lambda service, _clock: share_partitions_of(service, self._share_group(service.cluster))
        )

    @property
    def acquired(self) -> tuple[InFlightRecords, ...]:
        """The records that members of a share group have acquired, and not acknowledged yet.

        Raises:
            ValueError: it is not a share group.

        """
        return tuple(
            each
            for partition in self.share_partitions.values()
            for each in partition.in_flight
            if each.state == RecordState.ACQUIRED.name
        )

    @action
    def expire_locks(
        self,
        topic: str | None = None,
        partition: int | None = None,
        *,
        member_id: str | None = None,
    ) -> int:
        """Let acquisition locks expire now, as at their time; return the number of records.

        The records are available to all members again; those that were delivered as often as
        `share.delivery.count.limit` (or `group.share.delivery.count.limit`) allows are archived.
        Without arguments all locks of the group expire, otherwise those of a topic, of a partition,
        or of a member. Members are not told: their acknowledgements get INVALID_RECORD_STATE.

        Raises:
            LookupError: the group has no such share partition.
            ValueError: it is not a share group.

        """

        def expired(service: Service) -> int:
            keys = self._share_partitions(service.cluster, topic, partition)
            self._control.note(
                "locks_expired",
                group=self.group_id,
                topic=topic,
                partition=partition,
                member_id=member_id,
            )
            return sum(
                manager.end_locks(key, member_id, service.now_ms)
                for manager in list(service.share_managers.values())
                for key in keys
                if key in manager.loaded(self.group_id)
            )

        return self._control.change_service(expired)

    @action
    def move_share_coordinator(
        self, topic: str, partition: int, broker_id: int | None = None
    ) -> int:
        """Move the share coordinator of a share partition; return the new one's id.

        It stores the state of the share partition, and knows only what it loads from its partition
        of `__share_group_state`. By default it is the next replica.

        Raises:
            LookupError: the group has no such share partition.
            ValueError: it is not a share group, or the broker holds no replica of that partition.

        """

        def found(cluster: ClusterState, _now_ms: int) -> int:
            (key,) = self._share_partitions(cluster, topic, partition)
            return coordinator_partition(SHARE_GROUP_STATE, key.coordinator_key, cluster.configs)

        index = self._control.read(found)
        return PartitionHandle(self._control, SHARE_GROUP_STATE, index).elect(broker_id)

    def _share_partitions(
        self, cluster: ClusterState, topic: str | None, partition: int | None
    ) -> list[SharePartitionKey]:
        found = [
            key
            for name, key in share_partition_keys(cluster, self._share_group(cluster))
            if topic in (None, name) and partition in (None, key.partition)
        ]
        if not found and topic is not None:
            what = topic if partition is None else f"{topic}-{partition}"
            raise LookupError(f"group {self.group_id!r} has no share partition {what}")
        return found

    def _share_group(self, cluster: ClusterState) -> ShareGroup:
        _, group = self._find(cluster)
        if not isinstance(group, ShareGroup):
            raise ValueError(f"group {self.group_id!r} is a {group.kind} group, not a share group")
        return group

    # Parts

    def _shown(self) -> ShownState:
        name = repr(self.group_id)
        return ShownState(type(self).__name__, name, facts_of(self._control, self._facts))

    def _facts(self, cluster: ClusterState, _now_ms: int) -> Facts:
        info = group_info(cluster, *self._find(cluster))
        return {
            "kind": info.kind,
            "state": info.state,
            "coordinator": info.coordinator,
            "group_epoch": info.group_epoch,
            "members": list(info.members),
            "offsets": {f"{topic}-{index}": at for (topic, index), at in info.offsets.items()},
        }

    def _known(self, cluster: ClusterState) -> Group | None:
        try:
            return self._find(cluster)[1]
        except LookupError:
            return None

    def _find(self, cluster: ClusterState) -> tuple[int, Group]:
        broker_id = coordinator_id(cluster, CONSUMER_OFFSETS, self.group_id)
        group = cluster.group_coordinator(broker_id).groups.find(self.group_id)
        if group is None:
            raise LookupError(f"no coordinator knows group {self.group_id!r}")
        return broker_id, group

    def _read(self, look: Callable[[ClusterState, int, Group], T]) -> T:
        return self._control.read(lambda cluster, _now_ms: look(cluster, *self._find(cluster)))
