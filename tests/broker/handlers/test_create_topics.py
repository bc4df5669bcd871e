"""CreateTopics, topic by topic."""

import pytest

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreatableTopicResult,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from mockbroker.protocol.types import ZERO_UUID
from tests.support.in_process import Brokers


def topic(
    name: str,
    *,
    partitions: int = 1,
    factor: int = 1,
    configs: dict[str, str] | None = None,
) -> CreatableTopic:
    return CreatableTopic(
        name=name,
        num_partitions=partitions,
        replication_factor=factor,
        configs=[
            CreatableTopicConfig(name=key, value=value) for key, value in (configs or {}).items()
        ],
    )


def create(
    brokers: Brokers,
    *topics: CreatableTopic,
    version: int | None = None,
    broker_id: int = 1,
    timeout_ms: int = 1000,
    validate_only: bool = False,
) -> list[CreatableTopicResult]:
    request = CreateTopicsRequest(
        topics=list(topics), timeout_ms=timeout_ms, validate_only=validate_only
    )
    newest = brokers.state.options.api_versions[ApiKey.CREATE_TOPICS][-1]
    return brokers.ask(
        request, newest if version is None else version, CreateTopicsResponse, broker_id=broker_id
    ).topics


def codes(results: list[CreatableTopicResult]) -> list[tuple[str, int]]:
    return [(result.name, result.error_code) for result in results]


def test_a_created_topic_is_described() -> None:
    brokers = Brokers(brokers=3)
    (result,) = create(
        brokers, topic("orders", partitions=2, factor=3, configs={"retention.ms": " 99 "})
    )
    created = brokers.topic("orders")
    assert (result.error_code, result.error_message) == (ErrorCode.NONE, None)
    assert (result.num_partitions, result.replication_factor) == (2, 3)
    assert result.topic_id == created.topic_id
    assert result.configs is not None
    values = {config.name: (config.value, config.config_source) for config in result.configs}
    assert values["retention.ms"] == (" 99 ", 1)
    assert values["segment.ms"] == ("604800000", 5)
    assert len(values) == 37


def test_older_releases_show_configs_as_they_understood_them() -> None:
    (result,) = create(Brokers(release="2.4"), topic("orders", configs={"retention.ms": " 99 "}))
    assert result.configs is not None
    assert {config.name: config.value for config in result.configs}["retention.ms"] == "99"


def test_the_first_version_has_codes_only() -> None:
    results = create(Brokers(release="2.4"), topic("orders"), topic("bad name"), version=0)
    assert codes(results) == [("orders", 0), ("bad name", ErrorCode.INVALID_TOPIC_EXCEPTION)]


def test_one_refused_topic_does_not_affect_the_others() -> None:
    brokers = Brokers(topics={"taken": 1})
    results = create(brokers, topic("a"), topic("taken"), topic("b", partitions=0))
    assert codes(results) == [
        ("a", ErrorCode.NONE),
        ("taken", ErrorCode.TOPIC_ALREADY_EXISTS),
        ("b", ErrorCode.INVALID_PARTITIONS),
    ]
    assert [result.error_message for result in results] == [
        None,
        "Topic 'taken' already exists.",
        "Number of partitions was set to an invalid non-positive value.",
    ]
    refused = results[1]
    assert (refused.num_partitions, refused.replication_factor, refused.configs) == (-1, -1, [])
    assert refused.topic_id == ZERO_UUID
    assert sorted(brokers.state.topics.by_name) == ["a", "taken"]


def test_replicas_may_be_chosen() -> None:
    brokers = Brokers(brokers=3)
    wanted = topic("orders", partitions=-1, factor=-1)
    wanted.assignments = [CreatableReplicaAssignment(partition_index=0, broker_ids=[3, 1])]
    (result,) = create(brokers, wanted)
    assert (result.num_partitions, result.replication_factor) == (1, 2)
    assert brokers.partition("orders").replicas == (3, 1)


def test_only_checking_creates_nothing() -> None:
    brokers = Brokers()
    results = create(brokers, topic("orders", partitions=3), topic(""), validate_only=True)
    assert codes(results) == [("orders", 0), ("", ErrorCode.INVALID_TOPIC_EXCEPTION)]
    assert results[0].num_partitions == 3
    assert len(brokers.state.topics) == 0


@pytest.mark.parametrize(
    ("release", "expected", "why"),
    [
        ("4.4", [("a", 0), ("twice", 42)], "Duplicate topic name."),
        ("2.4", [("twice", 42), ("a", 0), ("twice", 42)], "Found multiple entries for this topic."),
    ],
)
def test_a_topic_that_is_named_twice_is_refused(
    release: str, expected: list[tuple[str, int]], why: str
) -> None:
    brokers = Brokers(release=release)
    results = create(brokers, topic("twice"), topic("a"), topic("twice"))
    assert codes(results) == expected
    assert {result.error_message for result in results if result.error_code} == {why}
    assert list(brokers.state.topics.by_name) == ["a"]


@pytest.mark.parametrize(("release", "exists"), [("4.4", False), ("2.4", True)])
def test_without_time_the_work_is_reported_as_timed_out(release: str, exists: bool) -> None:
    brokers = Brokers(release=release)
    results = create(brokers, topic("orders"), timeout_ms=0)
    assert codes(results) == [("orders", ErrorCode.REQUEST_TIMED_OUT)]
    assert ("orders" in brokers.state.topics) is exists


def test_only_the_controller_creates_topics_in_older_releases() -> None:
    brokers = Brokers(release="2.4", brokers=2)
    results = create(brokers, topic("orders"), broker_id=2)
    assert codes(results) == [("orders", ErrorCode.NOT_CONTROLLER)]
    brokers = Brokers(release="4.4", brokers=2)
    assert codes(create(brokers, topic("orders"), broker_id=2)) == [("orders", ErrorCode.NONE)]


@pytest.mark.parametrize(
    ("partitions", "factor", "code"),
    [
        (-1, 1, ErrorCode.INVALID_PARTITIONS),
        (1, -1, ErrorCode.INVALID_REPLICATION_FACTOR),
        (-1, -1, ErrorCode.INVALID_PARTITIONS),
        (1, 1, ErrorCode.NONE),
    ],
)
def test_counts_have_no_defaults_before_2_4(partitions: int, factor: int, code: ErrorCode) -> None:
    wanted = topic("orders", partitions=partitions, factor=factor)
    (result,) = create(Brokers(release="2.3"), wanted, version=3)
    assert result.error_code == code


def test_old_releases_name_the_client_that_repeats_a_topic() -> None:
    results = create(Brokers(release="1.1"), topic("a"), topic("a"), topic("b"), version=2)
    assert {result.name: result.error_code for result in results} == {
        "a": ErrorCode.INVALID_REQUEST,
        "b": ErrorCode.NONE,
    }
    (why,) = [result.error_message for result in results if result.error_message]
    assert why.endswith("contains multiple entries for the following topics: a")


@pytest.mark.parametrize(
    ("release", "code"),
    [("1.1", ErrorCode.UNKNOWN_SERVER_ERROR), ("2.3", ErrorCode.INVALID_CONFIG)],
)
def test_a_wrong_value_has_a_code_since_2_3(release: str, code: ErrorCode) -> None:
    brokers = Brokers(release=release)
    wrong = create(brokers, topic("a", configs={"retention.ms": "x"}), version=2)
    unknown = create(brokers, topic("a", configs={"no.such": "x"}), version=2)
    assert [wrong[0].error_code, unknown[0].error_code] == [code, ErrorCode.INVALID_CONFIG]


@pytest.mark.parametrize(("release", "has_id"), [("2.8", False), ("3.9", True)])
def test_a_topic_that_is_only_validated_has_an_id_since_3_9(release: str, *, has_id: bool) -> None:
    (result,) = create(Brokers(release=release), topic("a"), version=7, validate_only=True)
    assert (result.topic_id != ZERO_UUID) is has_id


@pytest.mark.parametrize("validate_only", [False, True])
def test_a_request_for_too_many_partitions_is_refused_as_a_whole(*, validate_only: bool) -> None:
    brokers = Brokers(topics={"taken": 1})
    before = brokers.state.as_text()
    wanted = [topic(f"t{number}") for number in range(10_000)]
    others = [topic("taken"), topic("twice"), topic("twice")]
    results = create(brokers, *wanted, *others, validate_only=validate_only)
    assert {(result.error_code, result.error_message) for result in results} == {
        (ErrorCode.POLICY_VIOLATION, "Excessively large number of partitions per request.")
    }
    assert [result.name for result in results] == [each.name for each in [*wanted, *others]]
    assert brokers.state.as_text() == before


@pytest.mark.parametrize(("release", "code"), [("4.4", 0), ("2.4", 17)])
def test_a_topic_collides_with_one_of_its_request_before_3_9(release: str, code: int) -> None:
    results = create(Brokers(release=release), topic("a.b"), topic("a_b"))
    assert codes(results) == [("a.b", ErrorCode.NONE), ("a_b", code)]
