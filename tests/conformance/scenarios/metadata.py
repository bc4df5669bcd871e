"""Metadata: every version, and every way to name topics."""

from uuid import UUID

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.metadata import (
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
)
from mockbroker.protocol.schema.message import Message
from mockbroker.protocol.types import ZERO_UUID
from tests.conformance.releases import defaults_since
from tests.conformance.scenarios.produce import up_to
from tests.conformance.script import scenario
from tests.conformance.talk import Talk

BAD_NAMES = ("", ".", "..", "bad name", "x/y", "ü", "a" * 250)


def named(*names: str | None, auto: bool = False) -> MetadataRequest:
    """Request topics by name."""
    return MetadataRequest(
        topics=[MetadataRequestTopic(name=name) for name in names],
        allow_auto_topic_creation=auto,
    )


def by_id(*topic_ids: UUID, name: str | None = None) -> MetadataRequest:
    """Request topics by id."""
    return MetadataRequest(
        topics=[MetadataRequestTopic(name=name, topic_id=topic_id) for topic_id in topic_ids],
        allow_auto_topic_creation=False,
    )


def has_leaders(answer: Message) -> bool:
    """Return whether every partition of the answer has a leader."""
    return isinstance(answer, MetadataResponse) and all(
        topic.error_code == 0 and not any(p.error_code for p in topic.partitions)
        for topic in answer.topics
    )


@scenario()
def metadata_of_all(talk: Talk) -> None:
    talk.topic("beta", partitions=3)
    talk.topic("alpha")
    for version in talk.versions(ApiKey.METADATA):
        everything = MetadataRequest(topics=[] if version == 0 else None)
        talk.ask(f"all topics, v{version}", everything, version)
        if version > 0:
            talk.ask(f"no topics, v{version}", MetadataRequest(topics=[]), version)


@scenario()
def metadata_of_named(talk: Talk) -> None:
    talk.topic("alpha", partitions=2)
    for version in talk.versions(ApiKey.METADATA):
        # Before v4 a question makes the topic: only what is there can be asked for again and again.
        names = ["alpha"] if version < 4 else ["alpha", "missing", *BAD_NAMES]
        talk.ask(f"named, v{version}", named(*names), version)
    newest = talk.latest(ApiKey.METADATA)
    talk.ask("the same twice", named("alpha", "missing", "alpha", "missing"), newest)


@scenario()
def metadata_of_bad_names(talk: Talk) -> None:
    for version in talk.versions(ApiKey.METADATA):
        for name in BAD_NAMES:
            talk.ask(f"{name[:9]!r}, may be made, v{version}", named(name, auto=True), version)


@scenario()
def metadata_makes_topics(talk: Talk) -> None:
    for version in talk.versions(ApiKey.METADATA):
        request = named(f"made-v{version}", auto=True)
        talk.ask(f"first question, v{version}", request, version)
        talk.until(f"and when it is made, v{version}", request, version, has_leaders)


@scenario()
def metadata_makes_topics_of_odd_names(talk: Talk) -> None:
    newest = talk.latest(ApiKey.METADATA)
    request = named("a.b", auto=True)
    talk.until("a name with a period", request, newest, has_leaders)
    talk.ask("a name that collides with it", named("a_b", auto=True), newest)
    talk.ask("two new names at once", named("two-1", "two-2", auto=True), newest)
    talk.until("and when they are made", named("two-1", "two-2"), newest, has_leaders)


@scenario(settings={"auto.create.topics.enable": "false"})
def metadata_may_not_make_topics(talk: Talk) -> None:
    for version in talk.versions(ApiKey.METADATA):
        talk.ask(f"unknown, v{version}", named("missing", "bad name", auto=True), version)


@scenario(presets=defaults_since("2.8"))
def metadata_by_id(talk: Talk) -> None:
    alpha = talk.topic("alpha", partitions=2)
    talk.topic("beta")
    newest = talk.latest(ApiKey.METADATA)
    for version in range(10, newest + 1):
        talk.ask(f"by id, v{version}", by_id(alpha), version)
        talk.ask(f"unknown id, v{version}", by_id(UUID(int=5)), version)
        talk.ask(f"id and name, v{version}", by_id(alpha, name="alpha"), version)
        talk.ask(f"id and another name, v{version}", by_id(alpha, name="beta"), version)
    talk.ask("known and unknown ids", by_id(alpha, UUID(int=6), UUID(int=7)), newest)
    talk.ask("neither name nor id", by_id(ZERO_UUID), newest)
    mixed = by_id(alpha)
    assert mixed.topics is not None
    mixed.topics.append(MetadataRequestTopic(name="beta"))
    talk.ask("one by id, one by name", mixed, newest)
    talk.ask("one by id, one by name, v11", mixed, 11)


@scenario(presets=defaults_since("2.3"))
def metadata_authorized_operations(talk: Talk) -> None:
    talk.topic("alpha")
    for version in talk.versions(ApiKey.METADATA)[8:]:
        request = named("alpha", "missing")
        request.include_topic_authorized_operations = True
        if version <= 10:
            request.include_cluster_authorized_operations = True
        talk.ask(f"v{version}", request, version)


@scenario(brokers=3)
def metadata_of_three_brokers(talk: Talk) -> None:
    talk.topic("spread", assignments=[[1, 2, 3], [2, 3, 1], [3, 1, 2]])
    for broker in (1, 2, 3):
        for version in up_to(talk.latest(ApiKey.METADATA), 1, 5):
            talk.ask(f"v{version}", named("spread"), version, broker=broker)
