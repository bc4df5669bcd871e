"""Metadata: all topics, some topics, topics by id, and topics that do not exist yet."""

from uuid import UUID

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
)
from mockbroker.protocol.types import ZERO_UUID, Uuid
from mockbroker.state.topic.replication_control import NewTopic, PlannedPartitions
from tests.support.in_process import Brokers
from tests.support.logged import Logged

NEWEST = {"2.4": 9, "4.4": 13}
UNKNOWN = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
GONE = UUID(int=5)


def ask(
    brokers: Brokers,
    *names: str,
    version: int | None = None,
    may_create: bool = False,
    with_operations: bool = False,
) -> MetadataResponse:
    request = MetadataRequest(
        topics=[MetadataRequestTopic(name=name) for name in names],
        allow_auto_topic_creation=may_create,
        include_topic_authorized_operations=with_operations,
    )
    newest = NEWEST[brokers.state.options.release]
    return brokers.ask(request, newest if version is None else version, MetadataResponse)


def by_id(brokers: Brokers, *topic_ids: Uuid, version: int = 13) -> MetadataResponse:
    request = MetadataRequest(
        topics=[MetadataRequestTopic(name=None, topic_id=topic_id) for topic_id in topic_ids]
    )
    return brokers.ask(request, version, MetadataResponse)


def codes(answer: MetadataResponse) -> list[tuple[str | None, int]]:
    return [(topic.name, topic.error_code) for topic in answer.topics]


# Brokers and topics


def test_the_brokers_and_the_cluster_are_named() -> None:
    brokers = Brokers(brokers=3)
    answer = ask(brokers)
    assert [(each.node_id, each.host, each.port, each.rack) for each in answer.brokers] == [
        (1, "127.0.0.1", 9092, None),
        (2, "127.0.0.1", 9093, None),
        (3, "127.0.0.1", 9094, None),
    ]
    assert (answer.cluster_id, answer.controller_id) == (brokers.state.cluster_id, 1)
    assert answer.topics == []


def test_a_topic_is_shown_with_its_partitions() -> None:
    brokers = Brokers(brokers=3)
    created = brokers.state.create_topic(
        NewTopic(name="orders", num_partitions=2, replication_factor=2)
    )
    (topic,) = ask(brokers, "orders").topics
    assert (topic.name, topic.topic_id, topic.is_internal) == ("orders", created.topic_id, False)
    assert [each.partition_index for each in topic.partitions] == [0, 1]
    for shown, partition in zip(topic.partitions, created.partitions, strict=True):
        assert (shown.leader_id, shown.leader_epoch) == (partition.leader_id, 0)
        assert tuple(shown.replica_nodes) == tuple(shown.isr_nodes) == partition.replicas
        assert shown.offline_replicas == []


def test_a_topic_that_changed_is_shown_as_it_is_now() -> None:
    brokers = Brokers(topics={"orders": 1})
    assert len(ask(brokers, "orders").topics[0].partitions) == 1
    more = PlannedPartitions(brokers.topic("orders"), [(1,), (1,)])
    brokers.state.replication.add_partitions(more)
    assert len(ask(brokers, "orders").topics[0].partitions) == 3


@pytest.mark.parametrize("version", [1, 9, 13])
def test_null_requests_all_topics(version: int) -> None:
    brokers = Brokers(topics={"a": 1, "b": 1})
    answer = brokers.ask(MetadataRequest(topics=None), version, MetadataResponse)
    assert codes(answer) == [("a", 0), ("b", 0)]


def test_the_response_for_all_topics_is_encoded_once_until_it_changes() -> None:
    brokers = Brokers(topics={"a": 1})
    for_all = MetadataRequest(topics=None)
    assert codes(brokers.ask(for_all, 9, MetadataResponse)) == [("a", 0)]
    (written,) = brokers.service.metadata_of_all.values()
    brokers.ask(for_all, 9, MetadataResponse)
    assert list(brokers.service.metadata_of_all.values()) == [written]

    brokers.state.create_topic(NewTopic(name="b", num_partitions=1))
    assert codes(brokers.ask(for_all, 9, MetadataResponse)) == [("a", 0), ("b", 0)]
    brokers.state.set_endpoint(1, "elsewhere", 1234)
    (broker,) = brokers.ask(for_all, 9, MetadataResponse).brokers
    assert (broker.host, broker.port) == ("elsewhere", 1234)


def test_the_response_for_all_topics_depends_on_the_version_and_the_request() -> None:
    brokers = Brokers(topics={"a": 1})
    plain = brokers.ask(MetadataRequest(topics=None), 9, MetadataResponse)
    asked = MetadataRequest(topics=None, include_topic_authorized_operations=True)
    told = brokers.ask(asked, 9, MetadataResponse)
    assert (
        plain.topics[0].topic_authorized_operations < 0 < told.topics[0].topic_authorized_operations
    )
    assert brokers.ask(MetadataRequest(topics=None), 5, MetadataResponse).topics[0].name == "a"


def test_an_empty_list_requests_all_topics_in_the_first_version_only() -> None:
    brokers = Brokers(topics={"a": 1})
    assert codes(ask(brokers, version=0)) == [("a", 0)]
    assert codes(ask(brokers, version=1)) == []


def test_a_topic_that_is_named_twice_is_shown_once() -> None:
    assert codes(ask(Brokers(topics={"a": 1}), "a", "a")) == [("a", 0)]


@pytest.mark.parametrize(
    ("release", "asked", "operations"),
    [("4.4", True, 3576), ("4.4", False, -(1 << 31)), ("2.4", True, 3576), ("2.4", False, 0)],
)
def test_operations_are_listed_on_request(release: str, asked: bool, operations: int) -> None:
    brokers = Brokers(release=release, topics={"a": 1})
    answer = ask(brokers, "a", "nope", with_operations=asked)
    assert {topic.topic_authorized_operations for topic in answer.topics} == {operations}


# By id


def test_topics_are_found_by_id() -> None:
    brokers = Brokers(topics={"a": 1})
    topic_id = brokers.topic("a").topic_id
    answer = by_id(brokers, topic_id, GONE, topic_id)
    assert [(topic.name, topic.topic_id, topic.error_code) for topic in answer.topics] == [
        (None, GONE, ErrorCode.UNKNOWN_TOPIC_ID),
        ("a", topic_id, ErrorCode.NONE),
    ]


@pytest.mark.parametrize("version", [10, 11])
def test_versions_with_ids_only_in_the_response_refuse_requests_by_id(version: int) -> None:
    brokers = Brokers(topics={"a": 1})
    answer = by_id(brokers, brokers.topic("a").topic_id, version=version)
    assert codes(answer) == [("", ErrorCode.INVALID_REQUEST)]


def test_a_topic_without_name_and_id_is_refused() -> None:
    answer = by_id(Brokers(topics={"a": 1}), ZERO_UUID)
    assert codes(answer) == [("", ErrorCode.UNKNOWN_SERVER_ERROR)]
    assert answer.error_code == ErrorCode.UNKNOWN_SERVER_ERROR


def test_a_refusal_by_version_is_logged(logged: Logged) -> None:
    brokers = Brokers(topics={"a": 1})
    by_id(brokers, ZERO_UUID)
    by_id(brokers, brokers.topic("a").topic_id, version=11)
    assert [(fields["error"], fields["why"]) for fields in logged.named("metadata_refused")] == [
        ("UNKNOWN_SERVER_ERROR", "a topic has neither name nor id"),
        ("INVALID_REQUEST", "topics are requested by id in version 11"),
    ]


# Topics that do not exist


def test_unknown_topics_come_after_known_ones() -> None:
    assert codes(ask(Brokers(topics={"a": 1}), "nope", "a")) == [("a", 0), ("nope", UNKNOWN)]


@pytest.mark.parametrize(
    ("release", "code"), [("4.4", ErrorCode.INVALID_TOPIC_EXCEPTION), ("2.4", UNKNOWN)]
)
def test_newer_releases_have_a_code_for_an_invalid_name(release: str, code: ErrorCode) -> None:
    assert codes(ask(Brokers(release=release), "bad name")) == [("bad name", code)]


@pytest.mark.parametrize(
    ("release", "code"), [("4.4", UNKNOWN), ("2.4", ErrorCode.LEADER_NOT_AVAILABLE)]
)
def test_a_requested_topic_exists_at_the_next_request(release: str, code: ErrorCode) -> None:
    brokers = Brokers(release=release, configs={"num.partitions": "4"})
    assert codes(ask(brokers, "orders", may_create=True)) == [("orders", code)]
    (topic,) = ask(brokers, "orders").topics
    assert (topic.error_code, len(topic.partitions)) == (ErrorCode.NONE, 4)


def test_versions_without_the_flag_always_create() -> None:
    brokers = Brokers()
    ask(brokers, "orders", version=3)
    assert "orders" in brokers.state.topics


def test_a_topic_is_created_only_if_client_and_broker_allow_it() -> None:
    brokers = Brokers()
    assert codes(ask(brokers, "orders")) == [("orders", UNKNOWN)]
    assert len(brokers.state.topics) == 0
    brokers = Brokers(configs={"auto.create.topics.enable": "false"})
    assert codes(ask(brokers, "orders", may_create=True)) == [("orders", UNKNOWN)]
    assert len(brokers.state.topics) == 0


@pytest.mark.parametrize(
    ("name", "kraft", "zookeeper"),
    [
        ("bad name", ErrorCode.INVALID_TOPIC_EXCEPTION, ErrorCode.INVALID_TOPIC_EXCEPTION),
        ("a_b", UNKNOWN, ErrorCode.INVALID_TOPIC_EXCEPTION),
    ],
)
def test_an_invalid_topic_is_not_created(name: str, kraft: ErrorCode, zookeeper: ErrorCode) -> None:
    for release, code in (("4.4", kraft), ("2.4", zookeeper)):
        brokers = Brokers(release=release, topics={"a.b": 1})
        assert codes(ask(brokers, name, may_create=True)) == [(name, code)]
        assert list(brokers.state.topics.by_name) == ["a.b"]


def test_kafka_s_own_topics_are_created_as_it_does() -> None:
    brokers = Brokers(configs={"offsets.topic.num.partitions": "7"})
    (topic,) = ask(brokers, "__consumer_offsets", may_create=True).topics
    assert topic.is_internal
    created = brokers.topic("__consumer_offsets")
    assert len(created.partitions) == 7
    assert created.partitions[0].config.log.cleanup_compact


# KIP-192, if enabled


def test_topics_have_their_format_and_largest_batch_if_enabled() -> None:
    brokers = Brokers(release="2.4", topics={"t": 1}, proposals=["topic-metadata"])
    brokers.state.create_topic(
        NewTopic("old", configs=[("message.format.version", "0.10.0"), ("max.message.bytes", "99")])
    )
    (plain,), (old,) = ask(brokers, "t").topics, ask(brokers, "old").topics
    assert (plain.message_format_version, plain.max_message_bytes) == (2, 1_000_012)
    assert (old.message_format_version, old.max_message_bytes) == (1, 99)


def test_a_changed_limit_shows_in_the_answer_for_all_topics() -> None:
    brokers = Brokers(topics={"t": 1}, proposals=["topic-metadata"])
    everything = MetadataRequest(topics=None)
    before = brokers.ask(everything, 13, MetadataResponse)
    brokers.state.configs.set_topic_overrides("t", {"max.message.bytes": "77"})
    brokers.state.configs_changed("t")
    after = brokers.ask(everything, 13, MetadataResponse)
    assert [t.max_message_bytes for t in (*before.topics, *after.topics)] == [1_048_588, 77]


@pytest.mark.parametrize(("proposals", "version"), [((), 13), (("topic-metadata",), 8)])
def test_topics_have_no_limits_if_disabled_or_in_older_versions(
    proposals: tuple[str, ...], version: int
) -> None:
    (topic,) = ask(Brokers(topics={"t": 1}, proposals=proposals), "t", version=version).topics
    assert (topic.message_format_version, topic.max_message_bytes) == (-1, -1)


def test_a_missing_topic_has_neither() -> None:
    (topic,) = ask(Brokers(proposals=["topic-metadata"]), "absent").topics
    assert topic.error_code == UNKNOWN
    assert (topic.message_format_version, topic.max_message_bytes) == (-1, -1)
