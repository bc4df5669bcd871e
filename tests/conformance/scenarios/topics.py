"""CreateTopics, DeleteTopics and CreatePartitions: every version and every refusal."""

from collections.abc import Sequence
from uuid import UUID

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.create_partitions import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from mockbroker.protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from mockbroker.protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from mockbroker.protocol.types import ZERO_UUID
from tests.conformance.releases import defaults_since
from tests.conformance.requests import create_topics, new_topic
from tests.conformance.script import scenario
from tests.conformance.talk import CONTROLLER, Talk

NAMES = (
    "",
    ".",
    "..",
    "a" * 249,
    "a" * 250,
    "bad name",
    "ü",
    "x/y",
    "good.name",
    "__consumer_offsets",
    "__transaction_state",
    "__cluster_metadata",
)
CONFIGS: tuple[tuple[str, str | None], ...] = (
    ("retention.ms", "1000"),
    ("retention.ms", " 99 "),
    ("retention.ms", "-1"),
    ("retention.ms", "-2"),
    ("retention.ms", "abc"),
    ("retention.ms", ""),
    ("retention.ms", None),
    ("retention.ms", "9223372036854775808"),
    ("segment.bytes", "1"),
    ("segment.bytes", "2147483648"),
    ("cleanup.policy", "compact"),
    ("cleanup.policy", "compact,delete"),
    ("cleanup.policy", "compact, delete"),
    ("cleanup.policy", "nonsense"),
    ("cleanup.policy", ""),
    ("compression.type", "zstd"),
    ("compression.type", "brotli"),
    ("message.timestamp.type", "LogAppendTime"),
    ("message.timestamp.type", "logappendtime"),
    ("min.insync.replicas", "0"),
    ("unclean.leader.election.enable", "true"),
    ("unclean.leader.election.enable", "TRUE"),
    ("unclean.leader.election.enable", "yes"),
    ("min.cleanable.dirty.ratio", "0.5"),
    ("min.cleanable.dirty.ratio", "1.5"),
    ("min.cleanable.dirty.ratio", "half"),
    ("max.message.bytes", "-1"),
    ("no.such.config", "1"),
    ("", "1"),
    ("message.format.version", "0.10.0"),
    ("message.downconversion.enable", "false"),
    ("remote.storage.enable", "true"),
    ("leader.replication.throttled.replicas", "0:1"),
    ("leader.replication.throttled.replicas", "nonsense"),
)
Replicas = Sequence[tuple[int, Sequence[int]]]
ASSIGNMENTS: tuple[Replicas, ...] = (
    [(0, [1])],
    [(0, [1]), (1, [1])],
    [(1, [1]), (0, [1])],
    [(1, [1])],
    [(0, [1]), (0, [1])],
    [(0, [1]), (2, [1])],
    [(0, [])],
    [(0, [1, 1])],
    [(0, [9])],
    [(0, [1]), (1, [])],
    [(0, [-1])],
    [(0, [1, 9])],
    [(-1, [1])],
)


@scenario()
def create_topics_versions(talk: Talk) -> None:
    for version in talk.versions(ApiKey.CREATE_TOPICS):
        made = new_topic(f"made-v{version}", partitions=2, configs={"retention.ms": "86400000"})
        talk.ask(f"make, v{version}", create_topics(made), version)
        talk.ask(f"make again, v{version}", create_topics(made), version)
        if version >= 1:
            other = new_topic(f"other-v{version}")
            request = create_topics(other, made, new_topic("bad name"), validate_only=True)
            talk.ask(f"only validate, v{version}", request, version)
        twin = new_topic("twin")
        mixed = create_topics(twin, twin, new_topic(f"beside-v{version}"))
        talk.ask(f"a name twice, v{version}", mixed, version)
        talk.ask(f"nothing, v{version}", create_topics(), version)


@scenario(before_internal_topics=True)
def create_topics_names(talk: Talk) -> None:
    version = talk.latest(ApiKey.CREATE_TOPICS)
    for name in NAMES:
        request = create_topics(new_topic(name), validate_only=True)
        talk.ask(f"{name[:20]!r}, {len(name)} long", request, version)
    talk.topic("a.b")
    talk.ask("collides", create_topics(new_topic("a_b"), validate_only=True), version)
    pair = create_topics(new_topic("c.d"), new_topic("c_d"), validate_only=True)
    talk.ask("collide with each other", pair, version)


@scenario()
def create_topics_counts(talk: Talk) -> None:
    for version in talk.versions(ApiKey.CREATE_TOPICS):
        for partitions, replication_factor in [
            (-1, 1),
            (1, -1),
            (-1, -1),
            (0, 1),
            (-2, 1),
            (1, 0),
            (1, -2),
            (1, 2),
            (1, 4),
            (0, 0),
        ]:
            topic = new_topic(
                "counted", partitions=partitions, replication_factor=replication_factor
            )
            request = create_topics(topic, validate_only=True)
            if version == 0 and partitions > 0 and replication_factor == 1:
                continue
            talk.ask(f"{partitions} × {replication_factor}, v{version}", request, version)


@scenario(alone=True, presets=defaults_since("3.6"))
def create_topics_that_collide_with_each_other(talk: Talk) -> None:
    talk.ask("both", create_topics(new_topic("c.d"), new_topic("c_d")), 4)
    talk.ask("one more", create_topics(new_topic("c.d_")), 4)


@scenario()
def create_topics_assignments(talk: Talk) -> None:
    version = talk.latest(ApiKey.CREATE_TOPICS)
    for replicas in ASSIGNMENTS:
        topic = new_topic("assigned", partitions=-1, replication_factor=-1, assignments=replicas)
        talk.ask(f"{list(replicas)}", create_topics(topic, validate_only=True), version)
    for partitions, replication_factor in [(1, -1), (-1, 1), (1, 1)]:
        topic = new_topic(
            "assigned",
            partitions=partitions,
            replication_factor=replication_factor,
            assignments=[(0, [1])],
        )
        title = f"{partitions} × {replication_factor} beside an assignment"
        talk.ask(title, create_topics(topic, validate_only=True), version)


@scenario()
def create_topics_configs(talk: Talk) -> None:
    for name, value in CONFIGS:
        request = create_topics(new_topic("set", configs={name: value}), validate_only=True)
        talk.ask(f"{name}={value!r}", request, talk.latest(ApiKey.CREATE_TOPICS, 4))
    newest = talk.latest(ApiKey.CREATE_TOPICS)
    for name, value in CONFIGS[1:2]:
        request = create_topics(new_topic("set", configs={name: value}))
        talk.ask(f"make with {name}={value!r}", request, newest)


@scenario(brokers=3)
def create_topics_on_three_brokers(talk: Talk) -> None:
    version = talk.latest(ApiKey.CREATE_TOPICS, 6)
    for title, topic in [
        ("default factor", new_topic("d", partitions=2, replication_factor=-1)),
        ("factor 3", new_topic("d", replication_factor=3)),
        ("factor 4", new_topic("d", replication_factor=4)),
        (
            "unequal replicas",
            new_topic(
                "d", partitions=-1, replication_factor=-1, assignments=[(0, [1, 2]), (1, [3])]
            ),
        ),
        (
            "equal replicas",
            new_topic(
                "d", partitions=-1, replication_factor=-1, assignments=[(0, [1, 2]), (1, [3, 1])]
            ),
        ),
    ]:
        request = create_topics(topic, validate_only=True)
        talk.ask(title, request, version, broker=CONTROLLER)
    made = new_topic(
        "made", partitions=-1, replication_factor=-1, assignments=[(0, [3, 1]), (1, [2, 3])]
    )
    talk.ask("make it", create_topics(made), version, broker=CONTROLLER)
    talk.settle("made", [3, 2])
    if talk.release.since("3.6"):
        for broker in (1, 2, 3):
            talk.ask("make it again", create_topics(made), version, broker=broker)


def deleting(talk: Talk, version: int, *names: str) -> DeleteTopicsRequest:
    """Build a DeleteTopics request by name, in the form of the version."""
    return DeleteTopicsRequest(
        topics=[DeleteTopicState(name=name) for name in names] if version >= 6 else [],
        topic_names=list(names),
        timeout_ms=30_000,
    )


def gone(talk: Talk, name: str) -> None:
    """Wait until a topic is deleted."""
    version = talk.latest(ApiKey.METADATA, 9)
    request = MetadataRequest(
        topics=[MetadataRequestTopic(name=name)], allow_auto_topic_creation=False
    )
    talk.until(
        "gone", request, version, lambda answer: "UNKNOWN" in str(answer) or "code=3" in str(answer)
    )


@scenario()
def delete_topics_versions(talk: Talk) -> None:
    for version in talk.versions(ApiKey.DELETE_TOPICS):
        name = f"old-v{version}"
        talk.topic(name)
        request = deleting(talk, version, name, "missing", "bad name")
        talk.ask(f"delete, v{version}", request, version)
        gone(talk, name)
        talk.ask(f"delete again, v{version}", request, version)
        talk.ask(f"nothing, v{version}", deleting(talk, version), version)


@scenario()
def delete_topics_twice_in_one_request(talk: Talk) -> None:
    talk.topic("twin")
    for version in talk.versions(ApiKey.DELETE_TOPICS):
        if version >= 4 or version == 0:
            request = deleting(talk, version, "missing", "missing")
            talk.ask(f"a missing name twice, v{version}", request, version)
    version = talk.latest(ApiKey.DELETE_TOPICS)
    talk.ask("a name twice", deleting(talk, version, "twin", "twin"), version)


@scenario(presets=defaults_since("2.8"))
def delete_topics_by_id(talk: Talk) -> None:
    topic_id = talk.topic("named")
    for title, states in [
        ("unknown id", [DeleteTopicState(topic_id=UUID(int=5))]),
        ("neither", [DeleteTopicState(topic_id=ZERO_UUID)]),
        ("both", [DeleteTopicState(name="named", topic_id=topic_id)]),
        ("both, unknown", [DeleteTopicState(name="x", topic_id=UUID(int=5))]),
        ("id twice", [DeleteTopicState(topic_id=UUID(int=5))] * 2),
        ("id and name", [DeleteTopicState(topic_id=topic_id), DeleteTopicState(name="named")]),
        ("by id", [DeleteTopicState(topic_id=topic_id)]),
    ]:
        talk.ask(title, DeleteTopicsRequest(topics=states, timeout_ms=30_000), 6)
    gone(talk, "named")
    again = DeleteTopicsRequest(topics=[DeleteTopicState(topic_id=topic_id)], timeout_ms=30_000)
    talk.ask("by the id of what is gone", again, 6)
    talk.topic("named")
    talk.ask("the name has another id now", again, 6)


@scenario(settings={"delete.topic.enable": "false"})
def delete_topics_is_disabled(talk: Talk) -> None:
    talk.topic("kept")
    for version in talk.versions(ApiKey.DELETE_TOPICS):
        talk.ask(f"v{version}", deleting(talk, version, "kept", "missing"), version)
    # The cluster is left as it was found, or the next scenario would wait for ever.


def widening(
    *topics: tuple[str, int, Sequence[Sequence[int]] | None], validate_only: bool = True
) -> CreatePartitionsRequest:
    """Build a CreatePartitions request from (topic, count, assignments)."""
    return CreatePartitionsRequest(
        topics=[
            CreatePartitionsTopic(
                name=name,
                count=count,
                assignments=None
                if added is None
                else [CreatePartitionsAssignment(broker_ids=list(brokers)) for brokers in added],
            )
            for name, count, added in topics
        ],
        timeout_ms=30_000,
        validate_only=validate_only,
    )


@scenario(presets=defaults_since("1.0"))
def create_partitions(talk: Talk) -> None:
    talk.topic("wide", partitions=2)
    newest = talk.latest(ApiKey.CREATE_PARTITIONS)
    wanted: list[tuple[str, int, Sequence[Sequence[int]] | None]] = [
        ("missing", 3, None),
        ("bad name", 3, None),
        ("", 3, None),
        ("wide", 2, None),
        ("wide", 1, None),
        ("wide", 0, None),
        ("wide", -1, None),
        ("wide", 3, None),
        ("wide", 3, []),
        ("wide", 3, [[1]]),
        ("wide", 3, [[1], [1]]),
        ("wide", 4, [[1]]),
        ("wide", 3, [[9]]),
        ("wide", 3, [[]]),
        ("wide", 3, [[1, 1]]),
        ("wide", 3, [[1, 9]]),
        ("wide", 4, [[1], [1, 1]]),
    ]
    for name, count, added in wanted:
        talk.ask(f"{name!r} to {count}, {added}", widening((name, count, added)), newest)
    twice = widening(("wide", 5, None), ("wide", 6, None), ("missing", 2, None))
    talk.ask("a name twice", twice, newest)
    talk.ask("nothing", widening(), newest)
    for version in talk.versions(ApiKey.CREATE_PARTITIONS):
        request = widening(("wide", version + 3, None), validate_only=False)
        talk.ask(f"one more, v{version}", request, version)
        talk.settle("wide", [1] * (version + 3))
    question = MetadataRequest(topics=[MetadataRequestTopic(name="wide")])
    talk.ask("as it is now", question, talk.latest(ApiKey.METADATA))
