"""End of groups and of their offsets: by deletion, by expiration, or with a deleted topic."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Final

from mockbroker.protocol.errors import ApiError
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.group.classic.classic_group import ClassicGroup
from mockbroker.state.group.classic.group_host import GroupCoordinatorHost
from mockbroker.state.group.classic.group_state import GroupState
from mockbroker.state.group.group import Group, GroupKind
from mockbroker.state.group.group_expiration import (
    MINUTE_MS,
    RETENTION_MINUTES,
    Expired,
    expiring,
)
from mockbroker.state.group.group_kinds import is_modern
from mockbroker.state.group.group_log_record import GroupLogRecord, GroupRecord, OffsetRecord
from mockbroker.state.group.group_state_manager import GroupStateManager


class GroupEndings:
    """Tombstones of one broker's groups and offsets."""

    __slots__ = ("_broker_id", "_groups", "_host", "_watch")

    def __init__(
        self,
        broker_id: int,
        host: GroupCoordinatorHost,
        groups: GroupStateManager,
        watch: Callable[[str, int, int], None],
    ) -> None:
        """Call `watch` with a group to check again, at which time, and the present time."""
        self._broker_id: Final = broker_id
        self._host: Final = host
        self._groups: Final = groups
        self._watch: Final = watch

    def forget_offsets(self, group: Group, records: Sequence[OffsetRecord], now_ms: int) -> None:
        """Append tombstones of offsets; a group without members or other offsets may end too.

        Raises:
            ApiError: As `end`.

        """
        tombstones: list[GroupLogRecord] = list(records)
        offsets = self._groups.owner_of(group.group_id).offsets
        going = {record.partition for record in records}
        is_last = all(each in going for each in offsets.known_partitions(group.group_id))
        ends = self._host.options.offsets.empty_groups_go_at_once and is_last and group.is_empty
        if ends:
            tombstones += self._group_tombstone(group)
        if tombstones:
            self._groups.append(group.group_id, tombstones, now_ms)
        if ends:
            self._bury(group, now_ms)

    def end_empty(self, group: Group, now_ms: int) -> None:
        """End a group whose offsets stay.

        Raises:
            ApiError: As `end`.

        """
        self.end(group, (), now_ms)

    def end(self, group: Group, partitions: Sequence[TopicPartition], now_ms: int) -> None:
        """End a group, and delete its offsets for these partitions.

        Raises:
            ApiError: COORDINATOR_LOAD_IN_PROGRESS, NOT_COORDINATOR, or a code of a failed append to
                the log.

        """
        group_id = group.group_id
        tombstones: list[GroupLogRecord] = [
            OffsetRecord(group_id, each, None) for each in partitions
        ]
        tombstones += self._group_tombstone(group)
        if tombstones:
            self._groups.append(group_id, tombstones, now_ms)
        self._bury(group, now_ms)

    def _group_tombstone(self, group: Group) -> Sequence[GroupLogRecord]:
        options = self._host.options.offsets
        if is_modern(group):
            return group.tombstones()
        assert isinstance(group, ClassicGroup), group.group_id
        if group.generation_id or options.unused_groups_have_tombstones:
            return [GroupRecord(group.group_id, None)]
        return []

    def _bury(self, group: Group, now_ms: int) -> None:
        """Remove a classic group, whose record was appended; others ended with their records."""
        reporter = self._host.observation.reporter
        if isinstance(group, ClassicGroup):
            group.transition_to(GroupState.DEAD, now_ms)
            self._groups.remove(group)
        elif is_modern(group) and reporter is not None:
            states = (group.state_title, GroupState.DEAD.title)
            reporter.group_changed(group.group_id, states, group.group_epoch, ())

    def clean(self, group_ids: Sequence[str], now_ms: int) -> None:
        """Append tombstones for the expired offsets of watched groups; keep watching the others."""
        shares = self._host.options.offsets.expired_groups_share_batches
        batches: dict[int, list[Expired]] = {}
        for number, group_id in enumerate(group_ids):
            group = self._groups.find(group_id)
            expired = None if group is None else self._expired(group, now_ms)
            if expired is not None:
                home = self._groups.owner_of(group_id).index
                batches.setdefault(home if shares else ~number, []).append(expired)
        for batch in batches.values():
            self._write_expired(batch, now_ms)

    def _expired(self, group: Group, now_ms: int) -> Expired | None:
        """Return the expired part of a group; None if nothing has expired."""
        if group.kind is GroupKind.SHARE:
            return None
        group_id = group.group_id
        offsets, options = self._groups.owner_of(group_id).offsets, self._host.options.offsets
        due = expiring(group, offsets, self._retention_ms, options, partial(self.subscribes, group))
        tombstones: list[GroupLogRecord] = [
            OffsetRecord(group_id, partition, None)
            for partition, due_ms in due.items()
            if due_ms <= now_ms
        ]
        is_used = not group.is_empty or offsets.has_open_transactions(group_id)
        if not is_used and len(tombstones) == len(offsets.all_committed(group_id)):
            return Expired(group, [*tombstones, *self._group_tombstone(group)], True)
        later_ms = [due_ms for due_ms in due.values() if due_ms > now_ms]
        if later_ms:
            self._watch(group_id, min(later_ms), now_ms)
        return Expired(group, tombstones, False) if tombstones else None

    def _write_expired(self, batch: Sequence[Expired], now_ms: int) -> None:
        tombstones = [record for expired in batch for record in expired.tombstones]
        try:
            if tombstones:
                self._groups.append(batch[0].group.group_id, tombstones, now_ms)
        except ApiError:
            for expired in batch:  # the next sweep tries again
                self._watch(expired.group.group_id, now_ms, now_ms)
            return
        for expired in batch:
            if expired.is_end:
                self._bury(expired.group, now_ms)

    @property
    def _retention_ms(self) -> int:
        configs = self._host.configs
        return configs.broker_integer(RETENTION_MINUTES, self._broker_id) * MINUTE_MS

    def subscribes(self, group: Group, topic: str) -> bool:
        """Return whether a member of a group subscribes to a topic."""
        return group.is_subscribed_to_topic(topic, self._host.records.read_subscribed_topics)
