import pytest

from mockbroker.broker.internal_records.streams_record import (
    read_streams_record,
    write_streams_key,
    write_streams_value,
)
from mockbroker.protocol.codec import encode
from mockbroker.protocol.errors import DecodeError
from mockbroker.protocol.log_records import streams_group_current as log_current
from mockbroker.protocol.versioned import read_version, write_versioned
from mockbroker.state.group.streams.streams_group_member import StreamsMemberState, UserEndpoint
from mockbroker.state.group.streams.streams_records import (
    StreamsCurrentAssignment,
    StreamsCurrentRecord,
    StreamsGroupEpoch,
    StreamsGroupRecord,
    StreamsMemberMetadata,
    StreamsMemberRecord,
    StreamsRecord,
    StreamsTargetEpoch,
    StreamsTargetEpochRecord,
    StreamsTargetRecord,
    StreamsTopologyRecord,
)
from mockbroker.state.group.streams.tasks import AssignedTasks, TasksTuple
from mockbroker.state.group.streams.topics.topology import (
    CopartitionGroup,
    Subtopology,
    TopicInfo,
    build_topology,
)

STANDBY = {"1": frozenset({0, 2})}
ASSIGNED = AssignedTasks({"0": {0: 3, 1: 4}}, STANDBY, {"2": frozenset({5})})
SUBTOPOLOGY = Subtopology(
    "0",
    ("in", "other"),
    (),
    (TopicInfo("log", 0, 2, (("cleanup.policy", "compact"),)),),
    ("r",),
    (TopicInfo("r", 4),),
    (CopartitionGroup((0, 1), (), (0,)),),
)
RECORDS: list[StreamsRecord] = [
    StreamsGroupRecord("g", StreamsGroupEpoch(5, -7, 2, {"num.standby.replicas": "1"})),
    StreamsMemberRecord("g", "m", StreamsMemberMetadata()),
    StreamsMemberRecord(
        "g",
        "m",
        StreamsMemberMetadata(
            "i", "r", "c", "/h", 5, 2, "p", UserEndpoint("host", 65535), {"zone": "z"}
        ),
    ),
    StreamsTargetEpochRecord("g", StreamsTargetEpoch(5, 99)),
    StreamsTargetRecord("g", "m", TasksTuple({"0": frozenset({1, 2})}, STANDBY)),
    StreamsCurrentRecord(
        "g",
        "m",
        StreamsCurrentAssignment(5, 4, StreamsMemberState.UNREVOKED_TASKS, ASSIGNED, ASSIGNED),
    ),
    StreamsTopologyRecord("g", build_topology(2, [SUBTOPOLOGY])),
]


def read(key: bytes, value: bytes | None) -> StreamsRecord | None:
    return read_streams_record(read_version(key), key, value)


@pytest.mark.parametrize("record", RECORDS)
def test_records_are_read_as_written(record: StreamsRecord) -> None:
    assert read(write_streams_key(record), write_streams_value(record)) == record


@pytest.mark.parametrize("record", RECORDS)
def test_tombstones_have_no_value(record: StreamsRecord) -> None:
    tombstone = record._replace(value=None)
    assert write_streams_value(tombstone) is None
    assert read(write_streams_key(tombstone), None) == tombstone


def test_keys_of_other_kinds_are_no_records() -> None:
    assert read_streams_record(2, b"", b"") is None


def test_an_unknown_version_is_refused() -> None:
    with pytest.raises(DecodeError):
        read(write_streams_key(RECORDS[0]), b"\0\7")


def test_active_tasks_without_epochs_have_that_of_the_member() -> None:
    value = log_current.StreamsGroupCurrentMemberAssignmentValue(
        member_epoch=7,
        previous_member_epoch=6,
        state=1,
        active_tasks=[log_current.TaskIds(subtopology_id="0", partitions=[1, 2])],
    )
    found = read(write_streams_key(RECORDS[5]), write_versioned(value, 0))
    assert isinstance(found, StreamsCurrentRecord)
    assert found.value is not None
    assert found.value.assigned.active == {"0": {1: 7, 2: 7}}
    assert encode(value, 0)
