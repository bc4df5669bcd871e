"""Groups and offsets of one partition of `__consumer_offsets`, and the replay of its records."""

from collections.abc import Hashable
from typing import Final

from mockbroker.state.group.classic.classic_group import ClassicGroup
from mockbroker.state.group.group import Group
from mockbroker.state.group.group_kinds import is_modern, new_group
from mockbroker.state.group.group_log_record import GroupLogRecord, GroupRecord, OffsetRecord
from mockbroker.state.group.modern.modern_group import ModernGroup
from mockbroker.state.group.modern.modern_records import GroupEpochRecord, ModernRecord
from mockbroker.state.group.offset_metadata_manager import OffsetMetadataManager
from mockbroker.state.group.streams.streams_records import StreamsGroupRecord, StreamsRecord


class GroupPartition:
    """A partition of the log whose groups this broker coordinates."""

    __slots__ = ("coordinator_epoch", "dropped", "groups", "index", "offsets", "record_offsets")

    def __init__(self, index: int, coordinator_epoch: int) -> None:
        """Start without groups, under the leader epoch of the partition."""
        self.index: Final = index
        self.coordinator_epoch: Final = coordinator_epoch
        self.groups: dict[str, Group] = {}
        self.dropped: dict[str, Group] = {}
        """Groups that are no longer known, and that descriptions show until the next append."""
        self.offsets: Final = OffsetMetadataManager()
        self.record_offsets: dict[Hashable, int] = {}
        """Offset of the latest record of each key, committed offsets apart."""

    def first_record_offset(self) -> int | None:
        """Return the offset of the first record that is still needed; None if none is."""
        of_offsets = self.offsets.first_record_offset()
        known = [*self.record_offsets.values(), *([] if of_offsets is None else [of_offsets])]
        return min(known, default=None)


def reload(
    owner: GroupPartition,
    record: GroupLogRecord,
    producer_id: int,
    record_offset: int,
    now_ms: int,
) -> None:
    """Apply a loaded record, which holds the complete state."""
    group_id = record.group_id
    if isinstance(record, OffsetRecord):
        replay_offset(owner, record, producer_id, record_offset)
        if record.value is not None and group_id not in owner.groups:
            owner.groups[group_id] = ClassicGroup(group_id, now_ms=now_ms)
        return
    note_record(owner, record, record_offset)
    if not isinstance(record, GroupRecord):
        replay_modern(owner, record)
    elif record.value is None:
        owner.groups.pop(group_id, None)
    else:
        owner.groups[group_id] = ClassicGroup.from_log_value(group_id, record.value)


def note_record(
    owner: GroupPartition, record: GroupRecord | ModernRecord | StreamsRecord, record_offset: int
) -> None:
    """Remember the offset of the latest record of a key; a tombstone is none."""
    key = (type(record), *record[:-1])
    if record.value is None:
        owner.record_offsets.pop(key, None)
    else:
        owner.record_offsets[key] = record_offset


def replay_modern(
    owner: GroupPartition, record: ModernRecord | StreamsRecord
) -> ModernGroup | None:
    """Apply a record to its group; return None if there is none, or if it ends."""
    group = owner.groups.get(record.group_id)
    if group is None or group.kind is not record.kind:
        if record.value is None:
            return None
        group = owner.groups[record.group_id] = new_group(record.kind, record.group_id)
    assert is_modern(group), record
    group.replay(record)
    if isinstance(record, (GroupEpochRecord, StreamsGroupRecord)) and record.value is None:
        del owner.groups[record.group_id]
        return None
    return group


def replay_offset(
    owner: GroupPartition, record: OffsetRecord, producer_id: int, record_offset: int
) -> None:
    """Apply a committed offset with the offset of its record."""
    value = record.value
    if value is not None and value.record_offset != record_offset:
        record = record._replace(value=value._replace(record_offset=record_offset))
    owner.offsets.replay(record, producer_id)
