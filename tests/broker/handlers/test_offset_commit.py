"""OffsetCommit for a group without members."""

import pytest

from mockbroker.protocol.codec import decode
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.log_records.offset_commit import OffsetCommitKey, OffsetCommitValue
from mockbroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from mockbroker.protocol.records.batch import records_of
from mockbroker.protocol.types import ZERO_UUID, TopicPartition
from mockbroker.state.topic.internal_topics import coordinator_partition
from mockbroker.state.topic.topic import CONSUMER_OFFSETS
from tests.support.in_process import NOW_MS, Brokers
from tests.support.transactions import new_brokers

GROUP = "readers"

LONG_MAX = 2**63 - 1


def request_of(brokers: Brokers, index: int = 0, **changes: object) -> OffsetCommitRequest:
    partition = OffsetCommitRequestPartition(
        partition_index=index, committed_offset=5, committed_metadata=None
    )
    topic = OffsetCommitRequestTopic(
        name="orders", topic_id=brokers.topic("orders").topic_id, partitions=[partition]
    )
    request = OffsetCommitRequest(group_id=GROUP, topics=[topic])
    for name, value in changes.items():
        setattr(request, name, value)
    return request


def commit(brokers: Brokers, request: OffsetCommitRequest, version: int = 8) -> ErrorCode:
    answer = brokers.ask(request, version, OffsetCommitResponse)
    return ErrorCode(answer.topics[0].partitions[0].error_code)


def stored_offset(brokers: Brokers) -> int | None:
    offsets = brokers.state.group_coordinator(1).offsets_of(GROUP)
    found = offsets.committed(GROUP, TopicPartition("orders", 0))
    return None if found is None else found.offset


@pytest.mark.parametrize("version", range(2, 11))
def test_an_offset_is_stored_in_every_version(version: int) -> None:
    brokers = new_brokers()
    assert commit(brokers, request_of(brokers), version) is ErrorCode.NONE
    assert stored_offset(brokers) == 5


@pytest.mark.parametrize(("release", "value_version"), [("1.1", 1), ("2.4", 3), ("4.4", 4)])
def test_the_record_is_that_of_the_release(release: str, value_version: int) -> None:
    brokers = new_brokers(release=release)
    commit(brokers, request_of(brokers), 2)
    index = coordinator_partition(CONSUMER_OFFSETS, GROUP, brokers.state.configs)
    (record,) = records_of(brokers.log_bytes(CONSUMER_OFFSETS, index))
    assert record.key is not None
    assert record.value is not None
    key = decode(OffsetCommitKey, 0, record.key, 2)
    assert (record.key[:2], key.group, key.topic, key.partition) == (b"\0\1", GROUP, "orders", 0)
    assert int.from_bytes(record.value[:2], "big") == value_version
    assert decode(OffsetCommitValue, value_version, record.value, 2).offset == 5


@pytest.mark.parametrize(("release", "expires_ms"), [("1.1", NOW_MS + 86_400_000), ("2.4", -1)])
def test_up_to_1_1_each_offset_has_its_own_expiry(release: str, expires_ms: int) -> None:
    brokers = new_brokers(release=release)
    commit(brokers, request_of(brokers), 3)
    index = coordinator_partition(CONSUMER_OFFSETS, GROUP, brokers.state.configs)
    (record,) = records_of(brokers.log_bytes(CONSUMER_OFFSETS, index))
    assert record.value is not None
    version = int.from_bytes(record.value[:2], "big")
    assert decode(OffsetCommitValue, version, record.value, 2).expire_timestamp == expires_ms


@pytest.mark.parametrize("release", ["1.1", "2.4"])
def test_a_retention_without_end_wraps_as_in_java(release: str) -> None:
    brokers = new_brokers(release=release)
    request = request_of(brokers)
    request.retention_time_ms = LONG_MAX
    commit(brokers, request, 2)
    index = coordinator_partition(CONSUMER_OFFSETS, GROUP, brokers.state.configs)
    (record,) = records_of(brokers.log_bytes(CONSUMER_OFFSETS, index))
    assert record.value is not None
    assert int.from_bytes(record.value[:2], "big") == 1
    assert decode(OffsetCommitValue, 1, record.value, 2).expire_timestamp == NOW_MS - LONG_MAX - 2


@pytest.mark.parametrize(
    ("version", "code"), [(8, ErrorCode.ILLEGAL_GENERATION), (9, ErrorCode.GROUP_ID_NOT_FOUND)]
)
def test_a_generation_of_an_unknown_group_is_refused(version: int, code: ErrorCode) -> None:
    brokers = new_brokers()
    request = request_of(brokers, generation_id_or_member_epoch=3, member_id="who")
    assert commit(brokers, request, version) is code
    assert stored_offset(brokers) is None


def test_3_9_has_no_code_of_its_own_for_such_a_group() -> None:
    brokers = new_brokers(release="3.9")
    request = request_of(brokers, generation_id_or_member_epoch=3, member_id="who")
    assert commit(brokers, request, 9) is ErrorCode.ILLEGAL_GENERATION


def test_the_first_version_needs_zookeeper() -> None:
    without, having = new_brokers(release="3.9"), new_brokers(release="2.8")
    assert commit(without, request_of(without), 0) is ErrorCode.UNSUPPORTED_VERSION
    assert stored_offset(without) is None
    assert commit(having, request_of(having), 0) is ErrorCode.NONE
    assert stored_offset(having) == 5


def test_a_member_of_a_group_without_members_is_unknown() -> None:
    brokers = new_brokers()
    commit(brokers, request_of(brokers))
    request = request_of(brokers, generation_id_or_member_epoch=3, member_id="who")
    assert commit(brokers, request) is ErrorCode.UNKNOWN_MEMBER_ID


def test_missing_topics_and_partitions_are_unknown() -> None:
    brokers = new_brokers()
    assert commit(brokers, request_of(brokers, 9)) is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    request = request_of(brokers)
    request.topics[0].topic_id = ZERO_UUID
    assert commit(brokers, request, 10) is ErrorCode.UNKNOWN_TOPIC_ID
    assert stored_offset(brokers) is None


def test_a_group_that_others_coordinate_is_refused() -> None:
    brokers = Brokers(topics={"orders": 1})
    assert commit(brokers, request_of(brokers)) is ErrorCode.NOT_COORDINATOR


def test_without_enough_replicas_nothing_is_stored() -> None:
    brokers = new_brokers()
    for partition in brokers.topic(CONSUMER_OFFSETS).partitions:
        partition.in_sync_replicas = ()
    before = brokers.state.as_text()
    assert commit(brokers, request_of(brokers)) is ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert brokers.state.as_text() == before
