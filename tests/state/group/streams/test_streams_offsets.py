import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.protocol.types import TopicPartition
from mockbroker.state.group.streams.streams_group import StreamsGroup
from mockbroker.state.group.streams.streams_offsets import (
    check_streams_commit,
    check_streams_fetch,
)
from mockbroker.state.group.streams.streams_records import (
    StreamsCurrentAssignment,
    StreamsCurrentRecord,
    StreamsTopologyRecord,
)
from mockbroker.state.group.streams.tasks import AssignedTasks
from mockbroker.state.group.streams.topics.topology import Subtopology, build_topology
from tests.state.group.streams.streams_building import APP

NEWEST = 9


def group_of_one() -> StreamsGroup:
    group = StreamsGroup(APP)
    group.replay(StreamsTopologyRecord(APP, build_topology(0, [Subtopology("0", ("orders",))])))
    current = StreamsCurrentAssignment(5, 4, assigned=AssignedTasks({"0": {0: 3, 1: 5}}))
    group.replay(StreamsCurrentRecord(APP, "m", current))
    return group


@pytest.mark.parametrize(
    ("committer", "partition", "version", "code"),
    [
        (("m", 5), ("orders", 7), NEWEST, None),
        (("m", 3), ("orders", 0), NEWEST, None),
        (("m", 5), ("orders", 0), None, None),
        (("m", 6), ("orders", 0), NEWEST, ErrorCode.STALE_MEMBER_EPOCH),
        (("m", 4), ("orders", 1), NEWEST, ErrorCode.STALE_MEMBER_EPOCH),
        (("m", 4), ("orders", 2), NEWEST, ErrorCode.STALE_MEMBER_EPOCH),
        (("m", 4), ("other", 0), NEWEST, ErrorCode.STALE_MEMBER_EPOCH),
        (("m", 5), ("orders", 0), 8, ErrorCode.UNSUPPORTED_VERSION),
        (("x", 5), ("orders", 0), NEWEST, ErrorCode.UNKNOWN_MEMBER_ID),
    ],
)
def test_commits(
    committer: tuple[str, int],
    partition: tuple[str, int],
    version: int | None,
    code: ErrorCode | None,
) -> None:
    group, partitions = group_of_one(), [TopicPartition(*partition)]
    if code is None:
        check_streams_commit(group, committer, partitions, version=version)
        return
    with pytest.raises(ApiError) as refused:
        check_streams_commit(group, committer, partitions, version=version)
    assert refused.value.code is code


def test_anybody_may_commit_to_an_empty_group() -> None:
    check_streams_commit(StreamsGroup(APP), ("", -1), [TopicPartition("orders", 0)], version=2)


def test_members_fetch_in_their_epoch() -> None:
    check_streams_fetch(group_of_one(), None, -1)
    check_streams_fetch(group_of_one(), "m", 5)
    with pytest.raises(ApiError) as refused:
        check_streams_fetch(group_of_one(), "m", 4)
    assert refused.value.code is ErrorCode.STALE_MEMBER_EPOCH
