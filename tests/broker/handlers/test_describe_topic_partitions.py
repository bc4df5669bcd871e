"""DescribeTopicPartitions lists topics page by page."""

import pytest

from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.describe_topic_partitions import (
    Cursor,
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsResponse,
    TopicRequest,
)
from tests.support.in_process import Brokers
from tests.support.logged import Logged

THREE = {"c": 3, "b": 3, "a": 3}

NOTHING: list[int] = []

Page = list[tuple[str | None, int, list[int]]]
Position = tuple[str, int]


def ask(
    brokers: Brokers, *names: str, limit: int = 2000, cursor: Position | None = None
) -> DescribeTopicPartitionsResponse:
    start = None
    if cursor is not None:
        start = Cursor(topic_name=cursor[0], partition_index=cursor[1])
    request = DescribeTopicPartitionsRequest(
        topics=[TopicRequest(name=name) for name in names],
        response_partition_limit=limit,
        cursor=start,
    )
    return brokers.ask(request, 0, DescribeTopicPartitionsResponse)


def page(answer: DescribeTopicPartitionsResponse) -> Page:
    return [
        (topic.name, topic.error_code, [each.partition_index for each in topic.partitions])
        for topic in answer.topics
    ]


def following(answer: DescribeTopicPartitionsResponse) -> Position | None:
    cursor = answer.next_cursor
    return None if cursor is None else (cursor.topic_name, cursor.partition_index)


def test_a_partition_is_described_in_full() -> None:
    brokers = Brokers(brokers=3, topics={"orders": 1})
    (topic,) = ask(brokers, "orders").topics
    (partition,) = topic.partitions
    assert (topic.topic_id, topic.is_internal) == (brokers.topic("orders").topic_id, False)
    assert topic.topic_authorized_operations == 3576
    leader_id = brokers.partition("orders").leader_id
    assert (partition.leader_id, partition.leader_epoch) == (leader_id, 0)
    assert partition.replica_nodes == partition.isr_nodes == [leader_id]
    assert partition.offline_replicas == []


def test_lists_are_empty_and_never_null() -> None:
    (topic,) = ask(Brokers(topics={"orders": 1}), "orders").topics
    (partition,) = topic.partitions
    assert (partition.eligible_leader_replicas, partition.last_known_elr) == ([], [])


def test_topics_come_in_the_order_of_their_names_and_once() -> None:
    answer = ask(Brokers(topics=THREE), "b", "a", "b", "nope", "bad name")
    assert page(answer) == [
        ("a", 0, [0, 1, 2]),
        ("b", 0, [0, 1, 2]),
        ("bad name", ErrorCode.INVALID_TOPIC_EXCEPTION, []),
        ("nope", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, []),
    ]
    assert following(answer) is None


def test_without_names_all_topics_are_described() -> None:
    assert [name for name, _, _ in page(ask(Brokers(topics=THREE)))] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("limit", "expected", "cursor"),
    [
        (1, [("a", 0, [0])], ("a", 1)),
        (2, [("a", 0, [0, 1])], ("a", 2)),
        (3, [("a", 0, [0, 1, 2])], ("b", 0)),
        (4, [("a", 0, [0, 1, 2]), ("b", 0, [0])], ("b", 1)),
        (0, [("a", 0, [0])], ("a", 1)),
        (-1, [("a", 0, [0])], ("a", 1)),
    ],
)
def test_a_page_ends_at_the_limit_with_a_cursor(
    limit: int, expected: Page, cursor: Position
) -> None:
    answer = ask(Brokers(topics=THREE), "c", "b", "a", limit=limit)
    assert page(answer) == expected
    assert following(answer) == cursor


def test_the_broker_has_a_limit_too() -> None:
    brokers = Brokers(topics=THREE, configs={"max.request.partition.size.limit": "2"})
    assert following(ask(brokers, "a")) == ("a", 2)


def test_unknown_topics_do_not_count() -> None:
    answer = ask(Brokers(topics=THREE), "a", "nope", "bad name", limit=3)
    assert [name for name, _, _ in page(answer)] == ["a", "bad name", "nope"]


@pytest.mark.parametrize(
    ("cursor", "expected"),
    [
        (("b", 1), [("b", 0, [1, 2]), ("c", 0, [0, 1, 2])]),
        (("b", 99), [("b", 0, NOTHING), ("c", 0, [0, 1, 2])]),
        (("a", 0), [("a", 0, [0, 1, 2]), ("b", 0, [0, 1, 2]), ("c", 0, [0, 1, 2])]),
    ],
)
def test_a_cursor_continues_after_the_last_page(cursor: Position, expected: Page) -> None:
    assert page(ask(Brokers(topics=THREE), "c", "b", "a", cursor=cursor)) == expected


def test_following_the_cursors_visits_everything_once() -> None:
    brokers = Brokers(topics=THREE)
    seen: list[tuple[str | None, int]] = []
    cursor: Position | None = None
    while True:
        answer = ask(brokers, limit=2, cursor=cursor)
        seen += [(name, index) for name, _, indexes in page(answer) for index in indexes]
        cursor = following(answer)
        if cursor is None:
            break
    assert seen == [(name, index) for name in "abc" for index in range(3)]


def test_a_cursor_at_a_deleted_topic_continues_after_it() -> None:
    answer = ask(Brokers(topics=THREE), cursor=("aa", 2))
    assert [name for name, _, _ in page(answer)] == ["b", "c"]


@pytest.mark.parametrize("cursor", [("b", -1), ("zzz", 0), ("", 0)])
def test_an_invalid_cursor_is_refused(cursor: Position) -> None:
    answer = ask(Brokers(topics=THREE), "c", "b", cursor=cursor)
    refused = ErrorCode.INVALID_REQUEST
    assert page(answer) == [("c", refused, []), ("b", refused, [])]


def test_a_refused_cursor_is_logged(logged: Logged) -> None:
    ask(Brokers(topics=THREE), "b", cursor=("b", -1))
    (fields,) = logged.named("describe_topic_partitions_refused")
    assert str(fields["why"]).startswith("the cursor is at partition -1 of topic 'b'")
