"""DeleteTopics, by name and by id."""

from uuid import UUID

import pytest

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.delete_topics import (
    DeletableTopicResult,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    DeleteTopicState,
)
from mockbroker.protocol.messages.fetch import FetchResponse
from mockbroker.protocol.types import ZERO_UUID, Uuid
from tests.support.in_process import Brokers
from tests.support.requests import fetch

GONE = UUID(int=5)
NOT_HOSTED = "This server does not host this topic-partition."


def by_name(
    brokers: Brokers,
    *names: str,
    version: int = 4,
    broker_id: int = 1,
    timeout_ms: int = 1000,
) -> list[tuple[str | None, int]]:
    request = DeleteTopicsRequest(topic_names=list(names), timeout_ms=timeout_ms)
    answer = brokers.ask(request, version, DeleteTopicsResponse, broker_id=broker_id)
    return [(each.name, each.error_code) for each in answer.responses]


def newest(brokers: Brokers, *wanted: tuple[str | None, Uuid]) -> list[DeletableTopicResult]:
    states = [DeleteTopicState(name=name, topic_id=topic_id) for name, topic_id in wanted]
    request = DeleteTopicsRequest(topics=states, timeout_ms=1000)
    return brokers.ask(request, 6, DeleteTopicsResponse).responses


@pytest.mark.parametrize("version", [1, 4])
def test_topics_are_deleted_by_name(version: int) -> None:
    brokers = Brokers(topics={"a": 1, "b": 1})
    assert by_name(brokers, "a", "nope", version=version) == [
        ("a", ErrorCode.NONE),
        ("nope", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
    ]
    assert list(brokers.state.topics.by_name) == ["b"]


def test_a_topic_is_deleted_by_id_and_named_in_the_answer() -> None:
    brokers = Brokers(topics={"a": 1})
    topic_id = brokers.topic("a").topic_id
    (result,) = newest(brokers, (None, topic_id))
    assert (result.name, result.topic_id, result.error_code) == ("a", topic_id, ErrorCode.NONE)
    assert len(brokers.state.topics) == 0


@pytest.mark.parametrize(
    ("wanted", "code", "why"),
    [
        (("x", ZERO_UUID), ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, NOT_HOSTED),
        (
            (None, GONE),
            ErrorCode.UNKNOWN_TOPIC_ID,
            "This server does not host this topic ID.",
        ),
        (
            (None, ZERO_UUID),
            ErrorCode.INVALID_REQUEST,
            "Neither topic name nor id were specified.",
        ),
        (
            ("a", GONE),
            ErrorCode.INVALID_REQUEST,
            "You may not specify both topic name and topic id.",
        ),
    ],
)
def test_a_missing_topic_is_refused(
    wanted: tuple[str | None, Uuid], code: ErrorCode, why: str
) -> None:
    (result,) = newest(Brokers(topics={"a": 1}), wanted)
    assert (result.name, result.topic_id) == wanted
    assert (result.error_code, result.error_message) == (code, why)


def test_a_topic_that_is_named_twice_is_not_deleted() -> None:
    brokers = Brokers(topics={"a": 1, "b": 1})
    results = newest(
        brokers, ("a", ZERO_UUID), (None, GONE), ("b", ZERO_UUID), ("a", ZERO_UUID), (None, GONE)
    )
    assert [(each.name, each.error_code, each.error_message) for each in results] == [
        ("b", ErrorCode.NONE, None),
        ("a", ErrorCode.INVALID_REQUEST, "Duplicate topic name."),
        (None, ErrorCode.INVALID_REQUEST, "Duplicate topic id."),
    ]
    assert list(brokers.state.topics.by_name) == ["a"]


def test_a_topic_that_is_named_by_both_is_not_deleted() -> None:
    brokers = Brokers(topics={"a": 1})
    topic_id = brokers.topic("a").topic_id
    (result,) = newest(brokers, ("a", ZERO_UUID), (None, topic_id))
    assert (result.name, result.topic_id, result.error_code) == ("a", topic_id, 42)
    assert "a" in brokers.state.topics


def test_older_releases_delete_a_topic_that_is_named_twice() -> None:
    brokers = Brokers(release="2.4", topics={"a": 1})
    assert by_name(brokers, "a", "a", version=3) == [("a", 0), ("a", 0)]
    assert len(brokers.state.topics) == 0


@pytest.mark.parametrize(
    ("version", "code"),
    [(2, ErrorCode.INVALID_REQUEST), (4, ErrorCode.TOPIC_DELETION_DISABLED)],
)
def test_deleting_may_be_disabled(version: int, code: ErrorCode) -> None:
    brokers = Brokers(topics={"a": 1}, configs={"delete.topic.enable": "false"})
    assert by_name(brokers, "a", version=version) == [("a", code)]
    assert "a" in brokers.state.topics


@pytest.mark.parametrize(("release", "exists"), [("4.4", True), ("2.4", False)])
def test_without_time_the_work_is_reported_as_timed_out(release: str, exists: bool) -> None:
    brokers = Brokers(release=release, topics={"a": 1})
    assert by_name(brokers, "a", timeout_ms=0) == [("a", ErrorCode.REQUEST_TIMED_OUT)]
    assert ("a" in brokers.state.topics) is exists


def test_only_the_controller_deletes_topics_in_older_releases() -> None:
    brokers = Brokers(release="2.4", brokers=2, topics={"a": 1})
    assert by_name(brokers, "a", broker_id=2) == [("a", ErrorCode.NOT_CONTROLLER)]
    assert "a" in brokers.state.topics


def test_a_delayed_fetch_ends_when_its_topic_is_deleted() -> None:
    brokers = Brokers(topics={"orders": 1})
    reader = brokers.connect()
    reader.send(fetch(max_wait_ms=10_000), 12)
    assert reader.new_frames() == []
    by_name(brokers, "orders")
    answer = reader.receive(ApiKey.FETCH, 12, FetchResponse)
    (partition,) = answer.responses[0].partitions
    assert partition.error_code == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_the_oldest_releases_ignore_a_repeated_topic() -> None:
    brokers = Brokers(release="1.1", topics={"a": 1})
    assert by_name(brokers, "a", "a", version=1) == [("a", ErrorCode.NONE)]


def test_messages_and_ids_came_with_kraft() -> None:
    for release, why in (("2.8", None), ("3.9", NOT_HOSTED)):
        brokers = Brokers(release=release, topics={"a": 1})
        topic_id = brokers.topic("a").topic_id
        missing, deleted = newest(brokers, ("nope", ZERO_UUID), ("a", ZERO_UUID))
        assert missing.error_message == why
        assert deleted.topic_id == (ZERO_UUID if why is None else topic_id)
