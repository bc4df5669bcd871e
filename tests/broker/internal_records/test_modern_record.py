"""Keys and values of the records of share groups; those of consumer groups have a file too."""

from uuid import UUID

import pytest

from mockbroker.broker.internal_records.modern_record import (
    is_modern_record,
    read_modern_record,
    write_modern_key,
    write_modern_value,
)
from mockbroker.protocol.versioned import read_version
from mockbroker.state.group.group import GroupKind
from mockbroker.state.group.modern.modern_records import (
    CurrentAssignment,
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
from mockbroker.state.group.share.state_partitions import (
    StatePartitions,
    StatePartitionsRecord,
    TopicState,
)

KIND = GroupKind.SHARE
TOPIC = UUID(int=100)
MEMBER = MemberMetadata("c", "/h", rack_id="r", subscribed_topic_names=frozenset({"b", "a"}))
SOME = {TOPIC: TopicState("t", frozenset({2, 0}))}


@pytest.mark.parametrize(
    ("number", "record"),
    [
        (10, MemberRecord(KIND, "g", "m", MEMBER)),
        (11, GroupEpochRecord(KIND, "g", GroupEpoch(7, -3))),
        (12, TargetEpochRecord(KIND, "g", TargetEpoch(7, 1234))),
        (13, TargetAssignmentRecord(KIND, "g", "m", {TOPIC: frozenset({2, 0})})),
        (
            14,
            CurrentAssignmentRecord(
                KIND, "g", "m", CurrentAssignment(5, 4, assigned={TOPIC: {0: 0, 1: 0}})
            ),
        ),
        (15, StatePartitionsRecord(KIND, "g", StatePartitions(SOME, SOME, {TOPIC: "t"}))),
    ],
)
def test_a_record_is_read_as_it_was_written(number: int, record: ModernRecord) -> None:
    key = write_modern_key(record)
    assert read_version(key) == number
    assert is_modern_record(number)
    assert read_modern_record(number, key, write_modern_value(record)) == record
    assert read_modern_record(number, key, None) == record._replace(value=None)


def test_other_records_are_not_of_these_groups() -> None:
    assert not is_modern_record(2)
    assert not is_modern_record(17)
