"""Timeouts of the members of consumer groups: sessions, and steps of a rebalance.

A member of the group's own protocol has to revoke partitions within its rebalance timeout. A member
of the classic protocol has to join again within it once it was told to, and then to sync.
"""

from collections.abc import Callable
from typing import Final

from mockbroker.protocol.errors import ApiError
from mockbroker.state.config.named_configs import group_integer
from mockbroker.state.group.classic.group_timers import JOIN, MEMBER, SYNC, GroupTimer, GroupTimers
from mockbroker.state.group.consumer.consumer_group import ConsumerGroup
from mockbroker.state.group.consumer.consumer_group_host import ConsumerGroupHost, ModernGroupStore
from mockbroker.state.group.consumer.consumer_group_member import ConsumerGroupMember
from mockbroker.state.group.modern.member_state import MemberState

SESSION_TIMEOUT: Final = "consumer.session.timeout.ms"
REBALANCE: Final = "rebalance"
RETRY_MS: Final = 500
"""Delay until a timeout is tried again, if its records could not be appended."""


class MemberTimeouts:
    """The deadlines of the members of one broker's consumer groups; the groups hold them."""

    __slots__ = ("_broker_id", "_fence", "_host", "_store", "_timers")

    def __init__(
        self,
        broker_id: int,
        host: ConsumerGroupHost,
        store: ModernGroupStore,
        fence: Callable[[ConsumerGroup, list[ConsumerGroupMember], int], None],
    ) -> None:
        """Call `fence` with a member whose time has passed."""
        self._broker_id: Final = broker_id
        self._host: Final = host
        self._store: Final = store
        self._fence: Final = fence
        self._timers: Final = GroupTimers(
            host.timers, f"consumer groups of broker {broker_id}", self._on_due
        )

    def on_loaded(self, group: ConsumerGroup, now_ms: int) -> None:
        """Start all timeouts of a group again; as in Kafka, the group's own for every member."""
        for member in group.members.values():
            self._begin_session(group, member, self._session_ms(group), now_ms)
            self.watch_rebalance(group, member, now_ms)

    def renew_session(self, group: ConsumerGroup, member: ConsumerGroupMember, now_ms: int) -> None:
        """Restart a member's session; a classic member has a timeout of its own."""
        classic = member.metadata.classic
        timeout_ms = self._session_ms(group) if classic is None else classic.session_timeout_ms
        self._begin_session(group, member, timeout_ms, now_ms)

    def _session_ms(self, group: ConsumerGroup) -> int:
        return group_integer(self._host.configs, SESSION_TIMEOUT, group.group_id, self._broker_id)

    def _begin_session(
        self, group: ConsumerGroup, member: ConsumerGroupMember, timeout_ms: int, now_ms: int
    ) -> None:
        watched_ms = group.sessions_ms.get(member.member_id)
        group.sessions_ms[member.member_id] = deadline_ms = now_ms + timeout_ms
        if watched_ms is not None and now_ms < watched_ms <= deadline_ms:
            return  # the check at that time finds the new deadline
        self._timers.watch(GroupTimer(group.group_id, MEMBER, member.member_id), deadline_ms)

    def watch_rebalance(
        self, group: ConsumerGroup, member: ConsumerGroupMember, now_ms: int
    ) -> None:
        """Give a member time to revoke partitions; any other state ends that time."""
        if member.current.state is not MemberState.UNREVOKED_PARTITIONS:
            group.rebalances.pop(member.member_id, None)
            return
        deadline_ms = now_ms + member.metadata.rebalance_timeout_ms
        group.rebalances[member.member_id] = (member.member_epoch, deadline_ms)
        self._timers.watch(GroupTimer(group.group_id, REBALANCE, member.member_id), deadline_ms)

    def await_join(self, group: ConsumerGroup, member: ConsumerGroupMember, now_ms: int) -> None:
        """Give a classic member time to join again, unless it has some already."""
        if (JOIN, member.member_id) not in group.classic_steps_ms:
            self._await_step(JOIN, group, member, now_ms)

    def await_sync(self, group: ConsumerGroup, member: ConsumerGroupMember, now_ms: int) -> None:
        """Give a classic member that has joined time to sync."""
        group.classic_steps_ms.pop((JOIN, member.member_id), None)
        self._await_step(SYNC, group, member, now_ms)

    def _await_step(
        self, kind: str, group: ConsumerGroup, member: ConsumerGroupMember, now_ms: int
    ) -> None:
        deadline_ms = now_ms + member.metadata.rebalance_timeout_ms
        group.classic_steps_ms[kind, member.member_id] = deadline_ms
        self._timers.watch(GroupTimer(group.group_id, kind, member.member_id), deadline_ms)

    @staticmethod
    def has_synced(group: ConsumerGroup, member: ConsumerGroupMember) -> None:
        """End the time that a classic member has to sync."""
        group.classic_steps_ms.pop((SYNC, member.member_id), None)

    def _on_due(self, timer: GroupTimer, now_ms: int) -> None:
        group = self._store.find(timer.group_id)
        if not isinstance(group, ConsumerGroup) or timer.member_id not in group.members:
            return
        member = group.members[timer.member_id]
        deadline_ms = _deadline_of(group, member, timer.kind)
        if deadline_ms is None:
            return
        if deadline_ms > now_ms:
            self._timers.watch(timer, deadline_ms)
            return
        try:
            self._fence(group, [member], now_ms)
        except ApiError:
            self._timers.watch(timer, now_ms + RETRY_MS)


def _deadline_of(group: ConsumerGroup, member: ConsumerGroupMember, kind: str) -> int | None:
    if kind == MEMBER:
        return group.sessions_ms.get(member.member_id)
    if kind != REBALANCE:
        return group.classic_steps_ms.get((kind, member.member_id))
    member_epoch, deadline_ms = group.rebalances.get(member.member_id, (None, None))
    return deadline_ms if member_epoch == member.member_epoch else None
