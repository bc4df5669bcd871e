"""CreatePartitions, topic by topic."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.create_partitions import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    CreatePartitionsTopic,
)
from tests.support.in_process import Brokers

Outcome = tuple[str, int, str | None]


def grow(
    brokers: Brokers,
    *wanted: tuple[str, int],
    assignments: list[list[int]] | None = None,
    broker_id: int = 1,
    timeout_ms: int = 1000,
    validate_only: bool = False,
) -> list[Outcome]:
    chosen = None
    if assignments is not None:
        chosen = [CreatePartitionsAssignment(broker_ids=each) for each in assignments]
    request = CreatePartitionsRequest(
        topics=[
            CreatePartitionsTopic(name=name, count=count, assignments=chosen)
            for name, count in wanted
        ],
        timeout_ms=timeout_ms,
        validate_only=validate_only,
    )
    version = 1 if brokers.state.options.release == "2.4" else 3
    answer = brokers.ask(request, version, CreatePartitionsResponse, broker_id=broker_id)
    return [(each.name, each.error_code, each.error_message) for each in answer.results]


def test_topics_grow_or_have_an_error() -> None:
    brokers = Brokers(topics={"a": 1, "b": 2})
    assert grow(brokers, ("a", 3), ("b", 1), ("nope", 5)) == [
        ("a", ErrorCode.NONE, None),
        (
            "b",
            ErrorCode.INVALID_PARTITIONS,
            "The topic b currently has 2 partition(s); 1 would not be an increase.",
        ),
        ("nope", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, None),
    ]
    assert [len(topic.partitions) for topic in brokers.state.topics] == [3, 2]


def test_replicas_may_be_chosen() -> None:
    brokers = Brokers(brokers=3, topics={"a": 1})
    assert grow(brokers, ("a", 2), assignments=[[3]]) == [("a", ErrorCode.NONE, None)]
    assert brokers.partition("a", 1).replicas == (3,)


def test_only_checking_changes_nothing() -> None:
    brokers = Brokers(topics={"a": 1})
    assert grow(brokers, ("a", 2), validate_only=True) == [("a", ErrorCode.NONE, None)]
    assert len(brokers.topic("a").partitions) == 1


@pytest.mark.parametrize(
    ("release", "why"), [("4.4", "Duplicate topic name."), ("2.4", "Duplicate topic in request.")]
)
def test_a_topic_that_is_named_twice_stays_as_it_is(release: str, why: str) -> None:
    brokers = Brokers(release=release, topics={"a": 1, "b": 1})
    assert grow(brokers, ("a", 2), ("b", 2), ("a", 3)) == [
        ("b", ErrorCode.NONE, None),
        ("a", ErrorCode.INVALID_REQUEST, why),
    ]
    assert len(brokers.topic("a").partitions) == 1


@pytest.mark.parametrize(("release", "count"), [("4.4", 1), ("2.4", 2)])
def test_without_time_the_work_is_reported_as_timed_out(release: str, count: int) -> None:
    brokers = Brokers(release=release, topics={"a": 1})
    assert grow(brokers, ("a", 2), timeout_ms=0) == [("a", ErrorCode.REQUEST_TIMED_OUT, None)]
    assert len(brokers.topic("a").partitions) == count


def test_only_the_controller_extends_topics_in_older_releases() -> None:
    brokers = Brokers(release="2.4", brokers=2, topics={"a": 1})
    assert grow(brokers, ("a", 2), broker_id=2) == [("a", ErrorCode.NOT_CONTROLLER, None)]


def test_a_request_for_too_many_partitions_is_refused_as_a_whole() -> None:
    brokers = Brokers(topics={"a": 1, "b": 1})
    wanted = [("a", 6_001), ("b", 6_001), ("nope", 2), ("c", 2), ("c", 2)]
    assert grow(brokers, *wanted) == [
        (
            name,
            ErrorCode.POLICY_VIOLATION,
            "Excessively large number of additional partitions per request.",
        )
        for name, _ in wanted
    ]
    assert [len(topic.partitions) for topic in brokers.state.topics] == [1, 1]
