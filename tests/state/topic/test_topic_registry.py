"""Lookup of topics by name and id, and counts of changes."""

from uuid import UUID

from mockbroker.state.config.config_repository import ConfigRepository
from mockbroker.state.topic.topic import Topic
from mockbroker.state.topic.topic_registry import TopicRegistry

CONFIG = ConfigRepository("4.4", {}, {}).topic_config("orders", 1)


def new_topic(name: str, number: int) -> Topic:
    return Topic(name, UUID(int=number), [(1,)], [CONFIG])


def test_a_topic_is_found_by_name_and_by_id() -> None:
    topics = TopicRegistry()
    topic = new_topic("orders", 1)
    topics.add(topic)
    assert topics.get("orders") is topics.by_id(UUID(int=1)) is topic
    assert topics.get("others") is topics.by_id(UUID(int=2)) is None
    assert "orders" in topics
    assert (len(topics), list(topics)) == (1, [topic])
    assert topics.ids() == {UUID(int=1): topic}


def test_a_recreated_topic_is_a_different_topic() -> None:
    topics = TopicRegistry()
    first, second = new_topic("orders", 1), new_topic("orders", 2)
    topics.add(first)
    topics.remove(first)
    assert "orders" not in topics
    topics.add(second)
    assert topics.by_id(UUID(int=1)) is None
    assert topics.get("orders") is second


def test_names_that_differ_in_dots_and_underscores_collide_while_they_exist() -> None:
    topics = TopicRegistry()
    topic = new_topic("a.b", 1)
    topics.add(topic)
    assert topics.colliding("a_b") == {"a.b"}
    assert topics.colliding("a.b") == frozenset()
    topics.remove(topic)
    assert topics.colliding("a_b") == frozenset()


def test_every_change_is_counted() -> None:
    topics = TopicRegistry()
    topic = new_topic("orders", 1)
    revisions = [topics.revision]
    for change in (topics.add, topics.changed, topics.remove):
        change(topic)
        revisions.append(topics.revision)
    assert revisions == [0, 1, 2, 3]


def test_a_changed_topic_loses_its_cached_views() -> None:
    topics = TopicRegistry()
    topic = new_topic("orders", 1)
    topics.add(topic)
    topic.view = object()
    revision = topic.revision
    topics.changed(topic)
    assert (topic.view, topic.revision) == (None, revision + 1)
