"""Effects of one API on another: changed configs, recreated topics."""

from collections.abc import Mapping

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from mockbroker.protocol.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
)
from mockbroker.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from tests.conformance import batches
from tests.conformance.batches import Item, Producer, batch, plain
from tests.conformance.releases import defaults_since, until
from tests.conformance.requests import PLENTY, Reading, Wanted, fetch, list_offsets, produce
from tests.conformance.scenarios.configs import BROKER, TOPIC, Change, expect_value, increment
from tests.conformance.scenarios.metadata import has_leaders, named
from tests.conformance.script import scenario
from tests.conformance.talk import Talk


def write(talk: Talk, title: str, topic: str, data: bytes, *, acks: int = -1) -> None:
    """Produce one batch to the first partition."""
    request = produce(talk, (topic, 0, data), acks=acks)
    talk.ask(title, request, talk.latest(ApiKey.PRODUCE))


def set_topic(talk: Talk, topic: str, configs: Mapping[str, str]) -> None:
    """Change a topic's configs, and wait until they are visible."""
    changes = [Change(name, value) for name, value in configs.items()]
    version = talk.latest(ApiKey.INCREMENTAL_ALTER_CONFIGS)
    talk.ask(f"set {configs}", increment(TOPIC, topic, *changes), version)
    for name, value in configs.items():
        expect_value(talk, f"{name} is set", TOPIC, topic, name, value)


@scenario(presets=defaults_since("2.3"))
def topic_configs_take_effect(talk: Talk) -> None:
    talk.topic("t")
    good = plain(b"v" * 100, at_ms=talk.at(0))
    write(talk, "fits", "t", good)
    set_topic(talk, "t", {"max.message.bytes": "100"})
    write(talk, "is too large", "t", good)
    set_topic(talk, "t", {"max.message.bytes": "1000", "compression.type": "gzip"})
    write(talk, "is compressed", "t", good)
    set_topic(talk, "t", {"message.timestamp.type": "LogAppendTime"})
    write(talk, "is stamped", "t", good)
    set_topic(talk, "t", {"cleanup.policy": "compact"})
    write(talk, "has no key", "t", good)
    write(talk, "has a key", "t", batch(Item(key=b"k"), at_ms=talk.at(1)))
    talk.ask("read back", fetch(talk, Wanted("t")), talk.latest(ApiKey.FETCH))


@scenario(alone=True, presets=defaults_since("2.3"))
def broker_configs_take_effect(talk: Talk) -> None:
    talk.topic("t")
    good = plain(b"v" * 100, at_ms=talk.at(0))
    write(talk, "fits", "t", good)
    version = talk.latest(ApiKey.INCREMENTAL_ALTER_CONFIGS)
    for broker, size in [("", "120"), ("1", "5000")]:
        change = Change("message.max.bytes", size)
        talk.ask(f"set {size} for {broker!r}", increment(BROKER, broker, change), version)
        expect_value(talk, "it is set", BROKER, broker, "message.max.bytes", size)
        expect_value(talk, "the topic has it", TOPIC, "t", "max.message.bytes", size)
        write(talk, f"under {size}", "t", good)


@scenario(settings={"num.partitions": "3", "log.message.timestamp.type": "LogAppendTime"})
def broker_configs_are_defaults_of_topics(talk: Talk) -> None:
    newest = talk.latest(ApiKey.METADATA)
    talk.until("made", named("made", auto=True), newest, has_leaders)
    talk.settle("made", [1, 1, 1])
    talk.topic("t")
    write(talk, "is stamped", "t", plain(b"a", at_ms=talk.at(0)))
    talk.ask("read back", fetch(talk, Wanted("t")), talk.latest(ApiKey.FETCH))


@scenario(alone=True)
def too_few_replicas(talk: Talk) -> None:
    talk.topic("t", configs={"min.insync.replicas": "2"})
    good = plain(b"a", at_ms=talk.at(0))
    for version in talk.versions(ApiKey.PRODUCE)[3:]:
        for acks in (-1, 1):
            request = produce(talk, ("t", 0, good), acks=acks)
            talk.ask(f"acks {acks}, v{version}", request, version)
    talk.ask("what was taken", list_offsets(("t", 0, -1)), 1)


@scenario()
def a_topic_that_is_made_again(talk: Talk) -> None:
    first_id = talk.topic("t")
    writer = Producer(1_000_000)
    data = plain(b"a", b"b", at_ms=talk.at(0), producer=writer)
    write(talk, "write", "t", data)
    version = talk.latest(ApiKey.FETCH)
    begun = talk.ask("begin", fetch(talk, Wanted("t"), reading=Reading(session_epoch=0)), version)
    session_id = talk.expect(FetchResponse, begun).session_id  # 0 where there are no sessions
    gone = DeleteTopicsRequest(
        topics=[DeleteTopicState(name="t")], topic_names=["t"], timeout_ms=30_000
    )
    talk.ask("delete", gone, talk.latest(ApiKey.DELETE_TOPICS))
    unknown = MetadataRequest(
        topics=[MetadataRequestTopic(name="t")], allow_auto_topic_creation=False
    )
    newest = talk.latest(ApiKey.METADATA)
    talk.until("it is gone", unknown, newest, lambda answer: not has_leaders(answer))
    old = FetchRequest(
        min_bytes=0,
        topics=[
            FetchTopic(
                topic="t",
                topic_id=first_id,
                partitions=[FetchPartition(partition=0, partition_max_bytes=PLENTY)],
            )
        ],
    )
    talk.ask("fetch what is gone", old, version)
    if session_id:
        on = fetch(talk, reading=Reading(session_id=session_id, session_epoch=1))
        talk.ask("the session goes on", on, version)
    talk.topic("t")
    talk.ask("fetch by the old id", old, version)
    talk.ask("the new one is empty", fetch(talk, Wanted("t")), version)
    write(talk, "the same batch is new", "t", data)
    write(talk, "and then it is not", "t", data)
    talk.ask("read back", fetch(talk, Wanted("t")), version)


@scenario(presets=defaults_since("2.4"))
def a_session_whose_topic_is_made_again(talk: Talk) -> None:
    """No fetch is sent while the topic is deleted, so that the session has the old topic's id."""
    talk.topic("t")
    write(talk, "write", "t", plain(b"a", b"b", at_ms=talk.at(0)))
    version = talk.latest(ApiKey.FETCH)
    begun = talk.ask("begin", fetch(talk, Wanted("t"), reading=Reading(session_epoch=0)), version)
    session_id = talk.expect(FetchResponse, begun).session_id
    gone = DeleteTopicsRequest(
        topics=[DeleteTopicState(name="t")], topic_names=["t"], timeout_ms=30_000
    )
    talk.ask("delete", gone, talk.latest(ApiKey.DELETE_TOPICS))
    unknown = MetadataRequest(
        topics=[MetadataRequestTopic(name="t")], allow_auto_topic_creation=False
    )
    newest = talk.latest(ApiKey.METADATA)
    talk.until("it is gone", unknown, newest, lambda answer: not has_leaders(answer))
    talk.topic("t")
    write(talk, "write to the new one", "t", plain(b"c", b"d", b"e", at_ms=talk.at(1)))
    for epoch in (1, 2):
        on = fetch(talk, reading=Reading(session_id=session_id, session_epoch=epoch))
        talk.ask(f"the session goes on, {epoch}", on, version)
    on = fetch(talk, Wanted("t", 0, 2), reading=Reading(session_id=session_id, session_epoch=3))
    talk.ask("by the new id, where the old one ended", on, version)


@scenario(presets=until("3.9"))
def fetch_ends_with_a_segment(talk: Talk) -> None:
    talk.topic("t", configs={"segment.bytes": "200"})
    for index in range(5):
        write(talk, "write", "t", plain(b"v" * 20, at_ms=talk.at(index)))
    for offset in range(5):
        request = fetch(talk, Wanted("t", 0, offset))
        talk.ask(f"from {offset}", request, talk.latest(ApiKey.FETCH))


@scenario()
def requests_on_one_connection_are_answered_in_order(talk: Talk) -> None:
    talk.topic("t")
    version = talk.latest(ApiKey.FETCH)
    waiting = fetch(talk, Wanted("t"), reading=Reading(max_wait_ms=200, min_bytes=1))
    first = talk.begin("a fetch that waits", waiting, version, waits_ms=200)
    packed = plain(b"a", at_ms=talk.at(0), codec=batches.LZ4)
    newest = talk.latest(ApiKey.PRODUCE)
    second = talk.begin("a batch behind it", produce(talk, ("t", 0, packed)), newest)
    third = talk.begin("another fetch", fetch(talk, Wanted("t")), version)
    for pending in (first, second, third):
        talk.finish(pending)
