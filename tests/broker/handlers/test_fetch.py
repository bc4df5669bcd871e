"""Fetch: immediate and delayed, in sessions, from leaders and replicas."""

from uuid import UUID

import pytest

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.delete_topics import (
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    DeleteTopicState,
)
from mockbroker.protocol.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    ForgottenTopic,
    PartitionData,
)
from mockbroker.protocol.messages.produce import ProduceResponse
from mockbroker.protocol.records.batch import batch_spans, records_of
from mockbroker.state.topic.replication_control import NewTopic
from mockbroker.state.topic.topic_recreation import recreate_topic
from tests.conformance.batches import ZSTD, Item, batch
from tests.support.in_process import NOW_MS, Brokers
from tests.support.logged import Logged
from tests.support.requests import (
    PLENTY,
    batch_of,
    fetch,
    produce,
)
from tests.support.transactions import Transactor, new_brokers, read

WAIT_MS = 500


@pytest.fixture
def brokers() -> Brokers:
    return Brokers(topics={"orders": 2})


def put(brokers: Brokers, *values: bytes, index: int = 0, topic: str = "orders") -> None:
    leader_id = brokers.partition(topic, index).leader_id
    request = produce(topic, index, batch_of(*values))
    answer = brokers.ask(request, 7, ProduceResponse, broker_id=leader_id)
    assert answer.responses[0].partition_responses[0].error_code == ErrorCode.NONE


def only(answer: FetchResponse) -> PartitionData:
    """Return the only partition of a response."""
    (topic,) = answer.responses
    (partition,) = topic.partitions
    return partition


def values_of(data: PartitionData) -> list[bytes | None]:
    assert isinstance(data.records, memoryview | bytes | bytearray)
    stored = bytes(data.records)
    spans = batch_spans(stored)
    return [record.value for start, end in spans for record in records_of(stored[start:end])]


@pytest.mark.parametrize("version", range(4, 19))
def test_records_are_read_in_every_version(brokers: Brokers, version: int) -> None:
    put(brokers, b"a", b"b")
    topic_id = brokers.topic("orders").topic_id
    data = only(brokers.ask(fetch(topic_id=topic_id), version, FetchResponse))
    assert data.error_code == ErrorCode.NONE
    assert (data.high_watermark, data.last_stable_offset) == (2, 2)
    assert values_of(data) == [b"a", b"b"]


@pytest.mark.parametrize("version", range(4))
def test_the_oldest_release_serves_the_oldest_versions(version: int) -> None:
    brokers = Brokers(topics={"orders": 1}, release="2.4")
    put(brokers, b"a")
    data = only(brokers.ask(fetch(max_bytes=1000), version, FetchResponse))
    assert data.error_code == ErrorCode.NONE
    assert isinstance(data.records, memoryview)
    assert b"a" in bytes(data.records)


def test_a_fetch_of_an_empty_partition_ends_at_its_timeout(brokers: Brokers) -> None:
    peer = brokers.connect()
    peer.send(fetch(max_wait_ms=WAIT_MS), 12)
    brokers.pass_time(WAIT_MS - 1)
    assert not peer.new_frames()
    brokers.pass_time(1)
    assert values_of(only(peer.receive(ApiKey.FETCH, 12, FetchResponse))) == []


def test_a_fetch_waits_until_there_is_enough(brokers: Brokers) -> None:
    peer = brokers.connect()
    peer.send(fetch(max_wait_ms=WAIT_MS, min_bytes=500), 12)
    put(brokers, bytes(100))
    put(brokers, bytes(1000), index=1)
    assert not peer.new_frames()
    put(brokers, bytes(400))
    assert len(values_of(only(peer.receive(ApiKey.FETCH, 12, FetchResponse)))) == 2
    assert not brokers.service.purgatory.waiting


def test_a_delayed_fetch_ends_when_its_topic_is_deleted(brokers: Brokers) -> None:
    peer = brokers.connect()
    peer.send(fetch(max_wait_ms=WAIT_MS), 12)
    request = DeleteTopicsRequest(topics=[DeleteTopicState(name="orders")], timeout_ms=1000)
    brokers.ask(request, 6, DeleteTopicsResponse)
    data = only(peer.receive(ApiKey.FETCH, 12, FetchResponse))
    assert data.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_a_delayed_response_has_the_current_time(brokers: Brokers) -> None:
    peer = brokers.connect()
    peer.send(fetch(max_wait_ms=WAIT_MS), 12)
    brokers.pass_time(WAIT_MS)
    assert brokers.service.now_ms == NOW_MS + WAIT_MS
    assert peer.new_frames()


def test_an_error_is_answered_at_once(brokers: Brokers, logged: Logged) -> None:
    data = only(brokers.ask(fetch("other", max_wait_ms=WAIT_MS), 12, FetchResponse))
    assert data.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    (fields,) = logged.named("fetch_refused")
    assert (fields["topic"], fields["error"]) == ("other", "UNKNOWN_TOPIC_OR_PARTITION")


def test_a_fetch_without_partitions_does_not_wait(brokers: Brokers) -> None:
    request = FetchRequest(max_wait_ms=WAIT_MS, min_bytes=1, session_epoch=-1)
    assert brokers.ask(request, 12, FetchResponse).responses == []


@pytest.mark.parametrize("offset", [-1, 3])
def test_an_invalid_offset_is_out_of_range(brokers: Brokers, offset: int) -> None:
    put(brokers, b"a", b"b")
    data = only(brokers.ask(fetch(offset=offset), 12, FetchResponse))
    assert data.error_code == ErrorCode.OFFSET_OUT_OF_RANGE


def test_an_unknown_topic_id_is_refused(brokers: Brokers) -> None:
    data = only(brokers.ask(fetch(topic_id=UUID(int=5)), 13, FetchResponse))
    assert data.error_code == ErrorCode.UNKNOWN_TOPIC_ID


def test_an_invalid_isolation_level_is_refused(brokers: Brokers) -> None:
    request = fetch()
    request.isolation_level = 2
    assert brokers.ask(request, 12, FetchResponse).error_code == ErrorCode.UNKNOWN_SERVER_ERROR


def test_read_committed_has_a_list_of_aborted_transactions(brokers: Brokers) -> None:
    put(brokers, b"a")
    request = fetch()
    assert only(brokers.ask(request, 12, FetchResponse)).aborted_transactions is None
    request.isolation_level = 1
    data = only(brokers.ask(request, 12, FetchResponse))
    assert data.aborted_transactions == []
    assert values_of(data) == [b"a"]


def test_the_limit_of_the_broker_applies_too() -> None:
    brokers = Brokers(topics={"orders": 2}, configs={"fetch.max.bytes": "1024"})
    for index in range(2):
        put(brokers, bytes(2000), index=index)
    request = fetch()
    request.topics[0].partitions.append(
        FetchPartition(partition=1, fetch_offset=0, partition_max_bytes=PLENTY)
    )
    (topic,) = brokers.ask(request, 12, FetchResponse).responses
    assert [len(values_of(data)) for data in topic.partitions] == [1, 0]


def test_a_wrong_broker_names_the_right_one() -> None:
    brokers = Brokers(brokers=3)
    topic = brokers.state.create_topic(
        NewTopic(name="orders", assignments=((0, (2,)), (1, (2,)), (2, (3,))))
    )
    request = fetch(topic_id=topic.topic_id)
    request.topics[0].partitions += [
        FetchPartition(partition=index, fetch_offset=0, partition_max_bytes=PLENTY)
        for index in (1, 2)
    ]
    answer = brokers.ask(request, 17, FetchResponse)
    (found,) = answer.responses
    assert {data.error_code for data in found.partitions} == {ErrorCode.NOT_LEADER_OR_FOLLOWER}
    assert [data.current_leader.leader_id for data in found.partitions] == [2, 2, 3]
    assert [(node.node_id, node.port) for node in answer.node_endpoints] == [(2, 9093), (3, 9094)]


def test_a_replica_may_be_read_from_version_11_on() -> None:
    brokers = Brokers(brokers=2)
    brokers.state.create_topic(NewTopic(name="orders", assignments=((0, (2, 1)),)))
    put(brokers, b"a")
    assert values_of(only(brokers.ask(fetch(), 11, FetchResponse))) == [b"a"]
    data = only(brokers.ask(fetch(), 10, FetchResponse))
    assert data.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER


@pytest.mark.parametrize(
    ("said", "code"), [(4, ErrorCode.FENCED_LEADER_EPOCH), (6, ErrorCode.UNKNOWN_LEADER_EPOCH)]
)
def test_the_leader_epoch_is_checked(brokers: Brokers, said: int, code: ErrorCode) -> None:
    brokers.partition("orders").leader_epoch = 5
    request = fetch(topic_id=brokers.topic("orders").topic_id)
    request.topics[0].partitions[0].current_leader_epoch = said
    data = only(brokers.ask(request, 17, FetchResponse))
    assert data.error_code == code
    assert data.current_leader.leader_id == (1 if code == ErrorCode.FENCED_LEADER_EPOCH else -1)


def test_a_diverging_log_gets_the_end_of_its_epoch(brokers: Brokers) -> None:
    partition = brokers.partition("orders")
    for leader_epoch in (1, 3):
        partition.leader_epoch = leader_epoch
        put(brokers, b"a", b"b")
    request = fetch(offset=4)
    request.topics[0].partitions[0].last_fetched_epoch = 2
    data = only(brokers.ask(request, 12, FetchResponse))
    assert (data.diverging_epoch.epoch, data.diverging_epoch.end_offset) == (1, 2)
    assert values_of(data) == []
    request.topics[0].partitions[0].last_fetched_epoch = 3
    assert only(brokers.ask(request, 12, FetchResponse)).diverging_epoch.epoch == -1
    request.topics[0].partitions[0].last_fetched_epoch = 4
    data = only(brokers.ask(request, 12, FetchResponse))
    assert data.error_code == ErrorCode.OFFSET_OUT_OF_RANGE


# Sessions


def in_session(session_id: int, session_epoch: int, *indexes: int) -> FetchRequest:
    partitions = [
        FetchPartition(partition=index, fetch_offset=0, partition_max_bytes=PLENTY)
        for index in indexes
    ]
    return FetchRequest(
        max_wait_ms=0,
        min_bytes=1,
        max_bytes=PLENTY,
        session_id=session_id,
        session_epoch=session_epoch,
        topics=[FetchTopic(topic="orders", partitions=partitions)] if indexes else [],
    )


def answered_indexes(answer: FetchResponse) -> list[int]:
    return [data.partition_index for topic in answer.responses for data in topic.partitions]


def test_a_session_returns_changed_partitions_only(brokers: Brokers) -> None:
    first = brokers.ask(in_session(0, 0, 0, 1), 12, FetchResponse)
    assert first.session_id > 0
    assert answered_indexes(first) == [0, 1]
    second = brokers.ask(in_session(first.session_id, 1), 12, FetchResponse)
    assert answered_indexes(second) == []
    put(brokers, b"a", index=1)
    third = brokers.ask(in_session(first.session_id, 2), 12, FetchResponse)
    assert answered_indexes(third) == [1]


def by_id(brokers: Brokers, request: FetchRequest) -> FetchRequest:
    for topic in request.topics:
        topic.topic_id = brokers.state.topics.by_name["orders"].topic_id
    return request


def test_a_session_does_not_continue_in_another_topic_of_the_name(brokers: Brokers) -> None:
    session_id = brokers.ask(by_id(brokers, in_session(0, 0, 0, 1)), 18, FetchResponse).session_id
    topic = brokers.state.topics.by_name["orders"]
    recreate_topic(brokers.state, topic, num_partitions=1, now_ms=NOW_MS)
    put(brokers, b"of the new one")
    answer = brokers.ask(in_session(session_id, 1), 18, FetchResponse)
    codes = {
        data.partition_index: data.error_code
        for topic in answer.responses
        for data in topic.partitions
    }
    assert codes == {
        0: ErrorCode.INCONSISTENT_TOPIC_ID,
        1: ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    }
    of_the_new = brokers.ask(by_id(brokers, in_session(0, 0, 0)), 18, FetchResponse)
    assert values_of(only(of_the_new)) == [b"of the new one"]


def test_a_forgotten_partition_of_a_session_is_not_read(brokers: Brokers) -> None:
    session_id = brokers.ask(in_session(0, 0, 0, 1), 12, FetchResponse).session_id
    put(brokers, b"a", index=0)
    put(brokers, b"a", index=1)
    request = in_session(session_id, 1)
    request.forgotten_topics_data = [ForgottenTopic(topic="orders", partitions=[0])]
    assert answered_indexes(brokers.ask(request, 12, FetchResponse)) == [1]


@pytest.mark.parametrize(
    ("session_id", "session_epoch", "code"),
    [
        (0, 7, ErrorCode.FETCH_SESSION_ID_NOT_FOUND),
        (None, 7, ErrorCode.INVALID_FETCH_SESSION_EPOCH),
    ],
)
def test_an_unknown_session_is_refused(
    brokers: Brokers, session_id: int | None, session_epoch: int, code: ErrorCode, logged: Logged
) -> None:
    known = brokers.ask(in_session(0, 0, 0), 12, FetchResponse).session_id
    given = known if session_id is None else known + 1
    answer = brokers.ask(in_session(given, session_epoch), 12, FetchResponse)
    assert (answer.error_code, answer.responses) == (code, [])
    assert logged.named("fetch_refused")[0]["error"] == code.name


def test_versions_without_sessions_return_session_id_0(brokers: Brokers) -> None:
    assert brokers.ask(in_session(3, 9, 0), 6, FetchResponse).session_id == 0


def test_zstd_records_are_not_returned_to_the_oldest_versions() -> None:
    brokers = Brokers(topics={"orders": 1}, release="2.4")
    records = batch(Item(), at_ms=NOW_MS, codec=ZSTD)
    brokers.ask(produce(records=records), 7, ProduceResponse)
    data = only(brokers.ask(fetch(), 3, FetchResponse))
    assert data.error_code == ErrorCode.UNSUPPORTED_COMPRESSION_TYPE
    assert data.high_watermark == -1


@pytest.mark.parametrize(("release", "told"), [("1.1", -1), ("2.3", 1)])
def test_old_releases_return_the_last_stable_offset_to_read_committed_only(
    release: str, told: int
) -> None:
    brokers = Brokers(topics={"orders": 1}, release=release)
    brokers.ask(produce(records=batch_of(b"a")), 3, ProduceResponse)
    offsets: list[int] = []
    for isolation_level in (0, 1):
        request = fetch()
        request.isolation_level = isolation_level
        offsets.append(only(brokers.ask(request, 5, FetchResponse)).last_stable_offset)
    assert offsets == [told, 1]


@pytest.mark.parametrize(("release", "hangs_up"), [("2.4", True), ("2.8", False)])
def test_an_invalid_isolation_level_closes_the_connection_in_old_releases(
    release: str, *, hangs_up: bool
) -> None:
    peer = Brokers(topics={"orders": 1}, release=release).connect()
    request = fetch()
    request.isolation_level = 2
    peer.send(request, 5)
    assert peer.is_hung_up is hangs_up


def test_a_marker_completes_a_delayed_read_committed_fetch() -> None:
    brokers = new_brokers()
    producer = Transactor(brokers)
    producer.init()
    producer.add(0)
    reader = brokers.connect()
    request = fetch(max_wait_ms=5_000)
    request.isolation_level = 1
    reader.send(request, 12)
    producer.write(0, b"a")
    assert reader.new_frames() == []
    producer.end(committed=True)
    data = only(reader.receive(ApiKey.FETCH, 12, FetchResponse))
    assert (data.last_stable_offset, data.high_watermark) == (2, 2)
    assert data.aborted_transactions == []
    assert data.records


def test_only_aborted_transactions_in_the_fetched_range_are_listed() -> None:
    brokers = new_brokers()
    producer = Transactor(brokers)
    producer.init()
    for committed in (False, True, False):
        producer.add(0)
        producer.write(0, b"a")
        producer.end(committed=committed)
    producer.add(0)
    producer.write(0, b"open")
    for offset, first_offsets in ((0, [0, 4]), (1, [0, 4]), (2, [4]), (5, [4]), (6, [])):
        found = read(brokers, offset=offset, committed=True)
        assert [each.first_offset for each in found.aborted_transactions or ()] == first_offsets
        assert (found.last_stable_offset, found.high_watermark) == (6, 7)
    assert read(brokers, committed=False).aborted_transactions is None
