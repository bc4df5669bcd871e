"""Limits of the partitions that one request may create."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.create_topics import CreatableTopic
from mockbroker.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from tests.conformance.releases import defaults_since
from tests.conformance.requests import create_topics, new_topic
from tests.conformance.scenarios.topics import widening
from tests.conformance.script import scenario
from tests.conformance.talk import Talk


@scenario(presets=defaults_since("3.6"))  # older ones try, and are busy for minutes
def create_topics_with_too_many_partitions(talk: Talk) -> None:
    for partitions in (10_000, 10_001, 100_001):
        request = create_topics(new_topic("wide", partitions=partitions), validate_only=True)
        version = 4  # later ones would list every config
        talk.ask(f"{partitions} partitions", request, version)


@scenario(presets=defaults_since("3.6"))
def create_topics_with_too_many_partitions_together(talk: Talk) -> None:
    version = 4  # later ones would list every config
    talk.topic("taken")
    named = [new_topic("bad name"), new_topic("taken"), new_topic("__cluster_metadata")]
    twins = [new_topic("twin", partitions=6_000)] * 2
    assigned = new_topic(
        "assigned",
        partitions=-1,
        replication_factor=-1,
        assignments=[(index, [1]) for index in range(3)],
    )
    for title, topics in [
        ("6,000 twice", wide_topics(6_000, 6_000)),
        ("6,000 twice, beside invalid topics", [*wide_topics(6_000, 6_000), *named]),
        (
            "6,000 of an invalid topic",
            [*wide_topics(6_000), new_topic("bad name", partitions=6_000)],
        ),
        (
            "6,000 of a reserved topic",
            [*wide_topics(6_000), new_topic("__cluster_metadata", partitions=6_000)],
        ),
        ("6,000 of a name twice", twins),
        ("6,000 twice, beside a name twice", [*wide_topics(6_000, 6_000), *twins]),
        ("the default for one", wide_topics(10_000, -1)),
        ("none or fewer", wide_topics(9_998, 0, -5)),
        ("an assignment", [*wide_topics(9_998), assigned]),
        ("as many as fit", wide_topics(4_999, 4_999)),
        ("one more than fit", wide_topics(4_999, 5_000)),
        ("one more than fit, beside invalid topics", [*wide_topics(4_999, 5_000), *named]),
        ("one more than fit, but one is invalid", wide_topics(4_999, 5_000, 0)),
    ]:
        talk.ask(title, create_topics(*topics, validate_only=True), version)
    talk.ask("6,000 twice, in earnest", create_topics(*wide_topics(6_000, 6_000)), version)
    talk.ask("one more than fit, in earnest", create_topics(*wide_topics(4_999, 5_000)), version)
    late = create_topics(*wide_topics(6_000, 6_000))
    late.timeout_ms = 0
    talk.ask("6,000 twice, without time", late, version)
    talk.ask("none was created", MetadataRequest(topics=None), talk.latest(ApiKey.METADATA, 9))


def wide_topics(*partitions: int) -> list[CreatableTopic]:
    """Return a topic for each number of partitions."""
    return [new_topic(f"wide-{index}", partitions=count) for index, count in enumerate(partitions)]


@scenario(presets=defaults_since("3.6"))
def create_partitions_with_too_many_together(talk: Talk) -> None:
    newest = talk.latest(ApiKey.CREATE_PARTITIONS)
    talk.topic("a")
    talk.topic("b", partitions=2)
    for title, topics in [
        ("10,001 more", [("a", 10_002)]),
        ("10,000 more", [("a", 10_001)]),
        ("6,000 more of two", [("a", 6_001), ("b", 6_002)]),
        ("6,000 more of two, beside others", [("a", 6_001), ("b", 6_002), ("missing", 3), ("", 2)]),
        ("5,000 more of two", [("a", 5_001), ("b", 5_002)]),
        ("6,000 more, and 6,000 of a missing one", [("a", 6_001), ("missing", 6_000)]),
        ("10,000 more, and fewer", [("a", 10_001), ("b", 1)]),
        ("10,001 more, and fewer", [("a", 10_002), ("b", 0)]),
        ("10,001 more, and one more", [("a", 10_002), ("b", 3)]),
        ("10,001 more of a name twice", [("a", 10_002), ("a", 10_002), ("b", 3)]),
        (
            "6,000 more of two, beside a name twice",
            [("a", 6_001), ("b", 6_002), ("c", 3), ("c", 3)],
        ),
    ]:
        wanted = [(name, count, None) for name, count in topics]
        talk.ask(title, widening(*wanted), newest)
    talk.ask("10,001 more without assignments", widening(("a", 10_002, [])), newest)
    if talk.release.since("4.4"):  # 3.9 adds some of the partitions that it refuses
        wanted = [("a", 6_001, None), ("b", 6_002, None)]
        talk.ask("6,000 more of two, in earnest", widening(*wanted, validate_only=False), newest)
        question = MetadataRequest(topics=[MetadataRequestTopic(name=name) for name in "ab"])
        talk.ask("as they are now", question, talk.latest(ApiKey.METADATA))
