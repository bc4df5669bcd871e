"""Keys and values of the records of consumer groups."""

from uuid import UUID

import pytest

from mockbroker.broker.internal_records.modern_record import (
    read_modern_record,
    write_modern_key,
    write_modern_value,
)
from mockbroker.protocol.codec import encode
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.log_records.consumer_group import (
    ConsumerGroupCurrentMemberAssignmentValue,
    TopicPartitions,
)
from mockbroker.protocol.versioned import read_version
from mockbroker.state.group.group import GroupKind
from mockbroker.state.group.modern.member_state import MemberState
from mockbroker.state.group.modern.modern_records import (
    ClassicMemberMetadata,
    CurrentAssignment,
    CurrentAssignmentRecord,
    GroupEpoch,
    GroupEpochRecord,
    MemberMetadata,
    MemberRecord,
    ModernRecord,
    RegularExpressionRecord,
    ResolvedRegularExpression,
    SubscriptionMetadataRecord,
    TargetAssignmentRecord,
    TargetEpoch,
    TargetEpochRecord,
)

KIND = GroupKind.CONSUMER
TOPIC = UUID(int=100)
MEMBER = MemberMetadata("c", "/h", "i", "r", frozenset({"b", "a"}), "x.*", 1000, "range")
CLASSIC = MEMBER._replace(classic=ClassicMemberMetadata(10, (("range", b"m"),)))
CURRENT = CurrentAssignment(
    5, 4, MemberState.UNREVOKED_PARTITIONS, {TOPIC: {1: 3, 0: 4}}, {TOPIC: {2: 3}}
)


@pytest.mark.parametrize(
    ("number", "record"),
    [
        (3, GroupEpochRecord(KIND, "g", GroupEpoch(7, -3))),
        (4, SubscriptionMetadataRecord(KIND, "g")),
        (5, MemberRecord(KIND, "g", "m", MEMBER)),
        (5, MemberRecord(KIND, "g", "m", CLASSIC)),
        (6, TargetEpochRecord(KIND, "g", TargetEpoch(7, 1234))),
        (7, TargetAssignmentRecord(KIND, "g", "m", {TOPIC: frozenset({2, 0})})),
        (8, CurrentAssignmentRecord(KIND, "g", "m", CURRENT)),
        (
            16,
            RegularExpressionRecord(
                KIND, "g", "x.*", ResolvedRegularExpression(frozenset({"b", "a"}), 3, 99)
            ),
        ),
    ],
)
def test_a_record_is_read_as_it_was_written(number: int, record: ModernRecord) -> None:
    key = write_modern_key(record)
    assert read_version(key) == number
    value = None if record.value is None else write_modern_value(record)
    assert read_modern_record(number, key, value) == record
    tombstone = record._replace(value=None)
    assert read_modern_record(number, key, None) == tombstone


def test_topic_metadata_of_earlier_releases_is_read_as_nothing() -> None:
    record = SubscriptionMetadataRecord(KIND, "g")
    value = write_modern_value(record)
    assert read_modern_record(4, write_modern_key(record), value) == record


@pytest.mark.parametrize("epochs", [None, [1]])
def test_partitions_without_epochs_have_that_of_the_member(epochs: list[int] | None) -> None:
    declared = ConsumerGroupCurrentMemberAssignmentValue(
        member_epoch=-2,
        previous_member_epoch=4,
        state=9,
        assigned_partitions=[
            TopicPartitions(topic_id=TOPIC, partitions=[1, 0], assignment_epochs=epochs)
        ],
        partitions_pending_revocation=[],
    )
    record = CurrentAssignmentRecord(KIND, "g", "m", CURRENT)
    read = read_modern_record(8, write_modern_key(record), b"\0\0" + encode(declared, 0))
    assert read.value == CurrentAssignment(-2, 4, MemberState.UNKNOWN, {TOPIC: {1: 0, 0: 0}})


def test_a_short_value_is_an_error() -> None:
    key = write_modern_key(GroupEpochRecord(KIND, "g", None))
    with pytest.raises(DecodeError):
        read_modern_record(3, key, b"\0\0\0")
