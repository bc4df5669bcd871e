"""Expiration of committed offsets, and removal of empty groups without offsets.

Rules:

1. Since KIP-211 an offset is retained for `offsets.retention.minutes` after its group has become
   empty, or after its last commit if it has no group or its topic no subscription. Before that,
   each offset had its own expiry; an offset that still has one expires by it.
2. An offset does not expire while an open transaction may replace it.
3. A sweep checks only the groups that may have expired offsets. Every change that can make a
   group's offsets expire earlier has to watch the group.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from mockbroker.protocol.types import TopicPartition
from mockbroker.state.deadlines import Deadlines
from mockbroker.state.group.classic.classic_group import ClassicGroup
from mockbroker.state.group.classic.group_host import GroupCoordinatorHost
from mockbroker.state.group.classic.group_state import GroupState
from mockbroker.state.group.group import Group
from mockbroker.state.group.group_log_record import NO_EXPIRY, GroupLogRecord, OffsetAndMetadata
from mockbroker.state.group.offset_metadata_manager import OffsetMetadataManager
from mockbroker.state.release.offset_options import OffsetOptions
from mockbroker.state.sweep_timer import SweepTimer

RETENTION_MINUTES: Final = "offsets.retention.minutes"
CHECK_INTERVAL_MS: Final = "offsets.retention.check.interval.ms"
MINUTE_MS: Final = 60_000
GROUPS_PER_SLICE: Final = 1_000


class Expired(NamedTuple):
    """The expired offsets of a group."""

    group: Group
    tombstones: Sequence[GroupLogRecord]
    is_end: bool
    """True if the group ends with them."""


class GroupExpiration:
    """Schedule of one broker's cleanup of groups."""

    __slots__ = ("_broker_id", "_clean", "_deadlines", "_host", "_sweep")

    def __init__(
        self,
        broker_id: int,
        host: GroupCoordinatorHost,
        clean: Callable[[Sequence[str], int], None],
    ) -> None:
        """Call `clean` with the ids of groups that may have to be cleaned up, and the time."""
        self._broker_id: Final = broker_id
        self._host: Final = host
        self._clean: Final = clean
        self._deadlines = Deadlines[str]()
        self._sweep: Final = SweepTimer(
            host.timers, f"group {broker_id} metadata expiration", self._run_slice
        )

    def startup(self, now_ms: int) -> None:
        """Begin to sweep at intervals."""
        interval_ms = self._host.configs.broker_integer(CHECK_INTERVAL_MS, self._broker_id)
        self._sweep.startup(now_ms, interval_ms)

    def watch(self, group_id: str, due_ms: int, now_ms: int) -> None:
        """Have the first sweep from `due_ms` on check a group, if none checks it earlier."""
        self._deadlines.watch(group_id, due_ms)
        self._sweep.expect(due_ms, now_ms)

    def _run_slice(self, now_ms: int) -> bool:
        due: list[str] = []
        while len(due) < GROUPS_PER_SLICE:
            group_id = self._deadlines.pop_due(now_ms)
            if group_id is None:
                break
            due.append(group_id)
        self._clean(due, now_ms)
        due_ms = self._deadlines.next_deadline_ms()
        if due_ms is None:
            return False
        if due_ms <= now_ms:
            return True
        self._sweep.expect(due_ms, now_ms)
        return False


def expiry_ms(
    value: OffsetAndMetadata, group: Group, retention_ms: int, options: OffsetOptions
) -> int | None:
    """Return the time at which an offset expires if nothing changes; None for never."""
    if options.expire_each_by_itself:
        return value.expire_timestamp_ms + 1
    base_ms = _base_timestamp_ms(value, group, options)
    if base_ms is None:
        return None
    if value.expire_timestamp_ms != NO_EXPIRY:
        return value.expire_timestamp_ms
    return base_ms + retention_ms


def _base_timestamp_ms(
    value: OffsetAndMetadata, group: Group, options: OffsetOptions
) -> int | None:
    if not isinstance(group, ClassicGroup) or group.protocol_type is None:
        return value.commit_timestamp_ms
    if group.state is GroupState.EMPTY:
        since_ms = group.current_state_timestamp_ms
        return value.commit_timestamp_ms if since_ms is None else since_ms
    if not options.expire_beside_subscriptions or group.subscriptions is None:
        return None
    if group.state is not GroupState.STABLE and not options.expire_while_rebalancing:
        return None
    return value.commit_timestamp_ms


def expiring(
    group: Group,
    offsets: OffsetMetadataManager,
    retention_ms: int,
    options: OffsetOptions,
    is_subscribed: Callable[[str], bool],
) -> dict[TopicPartition, int]:
    """Return the expiry of each offset of a group that expires if nothing changes."""
    found: dict[TopicPartition, int] = {}
    subscribed: dict[str, bool] = {}
    by_itself = options.expire_each_by_itself
    for partition, value in offsets.all_committed(group.group_id).items():
        due_ms = expiry_ms(value, group, retention_ms, options)
        if due_ms is None or offsets.is_unstable(group.group_id, partition):
            continue
        topic = partition.topic
        if topic not in subscribed:
            subscribed[topic] = not by_itself and is_subscribed(topic)
        if not subscribed[topic]:
            found[partition] = due_ms
    return found
