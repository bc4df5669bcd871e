"""Replay of records in one partition of groups."""

from uuid import UUID

from mockbroker.protocol.types import NO_PRODUCER_ID
from mockbroker.state.group.group import GroupKind
from mockbroker.state.group.group_partition import GroupPartition, reload
from mockbroker.state.group.modern.modern_records import GroupEpoch, GroupEpochRecord
from tests.state.group.coordinator_building import GROUP, offset


def test_a_commit_creates_its_group_and_keeps_the_offset_of_its_record() -> None:
    owner = GroupPartition(0, 1)
    assert owner.first_record_offset() is None
    reload(owner, offset(5), NO_PRODUCER_ID, 7, 0)
    assert list(owner.groups) == [GROUP]
    found = owner.offsets.committed(GROUP, offset(5).partition)
    assert found is not None
    assert (found.offset, found.record_offset, found.topic_id) == (5, 7, UUID(int=7))
    assert owner.first_record_offset() == 7


def test_only_the_latest_record_of_a_key_is_needed_until_its_tombstone() -> None:
    owner = GroupPartition(0, 1)
    for record_offset in (3, 4):
        value = GroupEpoch(record_offset, 0)
        record = GroupEpochRecord(GroupKind.CONSUMER, GROUP, value)
        reload(owner, record, NO_PRODUCER_ID, record_offset, 0)
    assert owner.first_record_offset() == 4
    tombstone = GroupEpochRecord(GroupKind.CONSUMER, GROUP, None)
    reload(owner, tombstone, NO_PRODUCER_ID, 5, 0)
    assert owner.groups == {}
    assert owner.first_record_offset() is None
