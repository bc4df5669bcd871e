"""AlterPartitionReassignments and ListPartitionReassignments: moves of partitions."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from mockbroker.protocol.messages.elect_leaders import ElectLeadersRequest, TopicPartitions
from mockbroker.protocol.messages.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
    ListPartitionReassignmentsTopics,
)
from mockbroker.protocol.messages.metadata import MetadataResponse
from mockbroker.protocol.schema.message import Message
from tests.conformance.batches import plain
from tests.conformance.releases import defaults_since
from tests.conformance.requests import Wanted, fetch, produce
from tests.conformance.scenarios.configs import BROKER, TOPIC, Change, increment
from tests.conformance.scenarios.metadata import named
from tests.conformance.script import scenario
from tests.conformance.talk import CONTROLLER, Talk

SINCE_2_4 = defaults_since("2.4")
SLOW = {"replica.fetch.max.bytes": "1000", "replica.fetch.response.max.bytes": "1000"}
"""A replica copies one batch at a time, so that a throttle stops it after the first."""
BROKERS = (1, 2, 3)
LIST_ALL = ListPartitionReassignmentsRequest(topics=None)


def reassign(
    *parts: tuple[str, int, Sequence[int] | None],
    timeout_ms: int = 30_000,
    allow_replication_factor_change: bool = True,
) -> AlterPartitionReassignmentsRequest:
    """Move partitions, each a (topic, partition, new replicas or None to cancel)."""
    topics: list[ReassignableTopic] = []
    for name, index, replicas in parts:
        if not topics or topics[-1].name != name:
            topics.append(ReassignableTopic(name=name))
        wanted = None if replicas is None else list(replicas)
        topics[-1].partitions.append(ReassignablePartition(partition_index=index, replicas=wanted))
    return AlterPartitionReassignmentsRequest(
        timeout_ms=timeout_ms,
        allow_replication_factor_change=allow_replication_factor_change,
        topics=topics,
    )


def listing(*topics: tuple[str, Sequence[int]]) -> ListPartitionReassignmentsRequest:
    """List the moves of partitions, each a (topic, partitions)."""
    return ListPartitionReassignmentsRequest(
        topics=[
            ListPartitionReassignmentsTopics(name=name, partition_indexes=list(partitions))
            for name, partitions in topics
        ]
    )


@dataclass(frozen=True, slots=True)
class Shape:
    """A partition in Metadata after its move."""

    partition: int
    replicas: Sequence[int]
    leader: int | None = None


def await_shape(talk: Talk, topic: str, shape: Shape) -> None:
    """Wait until every broker shows a partition with these replicas, all of them in sync."""

    def is_so(answer: Message) -> bool:
        assert isinstance(answer, MetadataResponse)
        for each in answer.topics[0].partitions:
            if each.partition_index == shape.partition:
                return (
                    list(each.replica_nodes) == list(shape.replicas)
                    and sorted(each.isr_nodes) == sorted(shape.replicas)
                    and each.leader_id in shape.replicas
                    and shape.leader in {None, each.leader_id}
                )
        return False

    for broker in talk.brokers:
        talk.until_quietly(named(topic), talk.latest(ApiKey.METADATA, 9), is_so, broker=broker)


def await_none(talk: Talk) -> None:
    """Wait until nothing is being moved."""

    def is_so(answer: Message) -> bool:
        assert isinstance(answer, ListPartitionReassignmentsResponse)
        return not answer.topics

    talk.until_quietly(LIST_ALL, 0, is_so, broker=talk.controller())


@scenario(brokers=3, presets=SINCE_2_4)
def reassignments_that_are_refused(talk: Talk) -> None:
    for order in permutations(("1", "2", "3")):  # that in which the brokers have started
        talk.names.learn_text(f"Set({', '.join(order)})", "Set(<brokers>)")
    talk.topic("t", assignments=[[1]])
    talk.topic("u", assignments=[[1, 2]])
    for version in talk.versions(ApiKey.ALTER_PARTITION_REASSIGNMENTS):
        for title, request in [
            ("none", reassign()),
            ("unknown topic", reassign(("missing", 0, [1]))),
            ("unknown partition", reassign(("t", 2, [1]), ("t", -1, [1]))),
            ("bad name", reassign(("bad name", 0, [1]), ("", 0, [1]))),
            ("no replica", reassign(("t", 0, []))),
            ("unknown broker", reassign(("t", 0, [9]))),
            ("negative broker", reassign(("t", 0, [-1]))),
            ("a broker twice", reassign(("t", 0, [1, 1]))),
            ("known and unknown broker", reassign(("t", 0, [1, 9]))),
            ("a known broker twice, and an unknown one", reassign(("t", 0, [2, 2, 9]))),
            ("nothing to cancel", reassign(("t", 0, None))),
            ("nothing to cancel of an unknown one", reassign(("t", 7, None), ("m", 0, None))),
            ("as it is", reassign(("t", 0, [1]), ("u", 0, [1, 2]))),
            ("as it is, and refused", reassign(("t", 0, [1]), ("u", 0, [9]), ("m", 0, [1]))),
            ("without time", reassign(("t", 0, [1]), timeout_ms=0)),
            ("with less than no time", reassign(("t", 0, [1]), timeout_ms=-1)),
            ("a topic without partitions", reassign_no_partition()),
        ]:
            talk.ask(f"{title}, v{version}", request, version, broker=CONTROLLER)
    newest = talk.latest(ApiKey.ALTER_PARTITION_REASSIGNMENTS)
    if newest >= 1:
        for name, replicas in [("t", [1, 2]), ("t", [2, 1, 3]), ("u", [1]), ("u", [2, 1, 3])]:
            request = reassign((name, 0, replicas), allow_replication_factor_change=False)
            talk.ask(f"{name}, another number: {replicas}", request, newest)
        for replicas_or_none in (None, [], [9], [9, 9]):
            request = reassign(("t", 0, replicas_or_none), allow_replication_factor_change=False)
            talk.ask(f"same number: {replicas_or_none}", request, newest)
    for title, listed in [
        ("all", LIST_ALL),
        ("none", listing()),
        ("no partition", listing(("t", []))),
        ("none of them", listing(("t", [0]), ("u", [0]))),
        ("unknown partitions", listing(("t", [2, -1]))),
        ("unknown topic", listing(("missing", [0]), ("", [0]))),
        ("a topic twice", listing(("t", [0]), ("t", [0]))),
        ("without time", ListPartitionReassignmentsRequest(timeout_ms=0, topics=None)),
    ]:
        talk.ask(f"list {title}", listed, 0, broker=CONTROLLER)
    talk.ask("metadata", named("t", "u"), talk.latest(ApiKey.METADATA, 12))


def reassign_no_partition() -> AlterPartitionReassignmentsRequest:
    """Reassign a topic without any partition."""
    request = reassign()
    request.topics.append(ReassignableTopic(name="t"))
    request.topics.append(ReassignableTopic(name="missing"))
    return request


@scenario(brokers=3, presets=SINCE_2_4)
def reassignments_asked_of_others(talk: Talk) -> None:
    talk.topic("t", assignments=[[1]])
    other = talk.controller() % 3 + 1
    talk.roles[other] = "another broker"
    for version in talk.versions(ApiKey.ALTER_PARTITION_REASSIGNMENTS):
        for title, request in [
            ("as it is", reassign(("t", 0, [1]))),
            ("unknown", reassign(("t", 1, [1]))),
            ("none", reassign()),
        ]:
            talk.ask(f"{title}, v{version}", request, version, broker=other)
    talk.ask("all", LIST_ALL, 0, broker=other)
    talk.ask("one", listing(("t", [0])), 0, broker=other)


@scenario(brokers=3, presets=SINCE_2_4)
def reassignments(talk: Talk) -> None:
    talk.topic("t", assignments=[[1]])
    newest = talk.latest(ApiKey.ALTER_PARTITION_REASSIGNMENTS)
    metadata = talk.latest(ApiKey.METADATA, 12)
    for at, replicas in enumerate(([2], [2, 3], [3, 2], [2, 3, 1], [1, 3], [3])):
        leader = leader_of(talk, "t")
        data = plain(b"%d" % at, at_ms=talk.at(at))
        write = produce(talk, ("t", 0, data))
        talk.ask("write", write, talk.latest(ApiKey.PRODUCE), broker=leader)
        talk.ask(f"to {replicas}", reassign(("t", 0, replicas)), newest, broker=CONTROLLER)
        await_shape(talk, "t", Shape(0, replicas))
        await_none(talk)
        talk.ask(f"metadata of {replicas}", named("t"), metadata)
        talk.ask("nothing is being moved", LIST_ALL, 0, broker=CONTROLLER)
    leader = leader_of(talk, "t")
    talk.settle("t", [leader])
    talk.ask("all is there", fetch(talk, Wanted("t")), talk.latest(ApiKey.FETCH), broker=leader)
    talk.ask("and at the first no more", fetch(talk, Wanted("t")), talk.latest(ApiKey.FETCH))


def leader_of(talk: Talk, topic: str) -> int:
    """Return the leader of the first partition."""
    answer = talk.quietly(named(topic), talk.latest(ApiKey.METADATA, 9))
    return talk.expect(MetadataResponse, answer).topics[0].partitions[0].leader_id


@scenario(brokers=3, presets=SINCE_2_4)
def reassignments_of_several(talk: Talk) -> None:
    talk.topic("t", assignments=[[1, 2], [2, 3], [3, 1]])
    talk.topic("u", assignments=[[1]])
    newest = talk.latest(ApiKey.ALTER_PARTITION_REASSIGNMENTS)
    request = reassign(("t", 0, [3, 2]), ("t", 2, [1, 3]), ("u", 0, [2]), ("u", 1, [2]))
    talk.ask("several", request, newest, broker=CONTROLLER)
    for topic, shape in [
        ("t", Shape(0, [3, 2])),
        ("t", Shape(2, [1, 3])),
        ("u", Shape(0, [2])),
    ]:
        await_shape(talk, topic, shape)
    await_none(talk)
    talk.ask("metadata", named("t", "u"), talk.latest(ApiKey.METADATA, 12))
    repeated = reassign(("t", 1, [1, 2]), ("u", 0, [1]), ("t", 1, [3, 1]))
    talk.ask("one twice", repeated, newest, broker=CONTROLLER)
    await_shape(talk, "u", Shape(0, [1]))
    await_none(talk)
    talk.ask("metadata after one twice", named("t", "u"), talk.latest(ApiKey.METADATA, 12))


def throttle(talk: Talk, topics: Sequence[str], rate: int | None) -> None:
    """Limit the rate of copying replicas, or remove the limit."""
    version = talk.latest(ApiKey.INCREMENTAL_ALTER_CONFIGS)
    operation = 1 if rate is None else 0
    for broker in BROKERS:
        changes = [
            Change(f"{side}.replication.throttled.rate", str(rate or 0), operation)
            for side in ("leader", "follower")
        ]
        request = increment(BROKER, str(broker), *changes)
        talk.ask(f"rate {rate}", request, version, broker=broker)
    changes = [
        Change(f"{side}.replication.throttled.replicas", "*", operation)
        for side in ("leader", "follower")
    ]
    for topic in topics:
        talk.ask("throttled replicas", increment(TOPIC, topic, *changes), version)
    talk.let_time_pass(1_500)  # until every broker has taken notice


def fill(talk: Talk, topic: str, replicas: Sequence[int]) -> None:
    """Create a topic with some batches, so that a copy takes a while."""
    talk.topic(topic, assignments=[replicas])
    for at in range(6):
        data = plain(b"%d" % at * 900, at_ms=talk.at(at))
        talk.ask("write", produce(talk, (topic, 0, data)), talk.latest(ApiKey.PRODUCE))


@scenario(brokers=3, alone=True, slow=True, settings=SLOW, presets=SINCE_2_4)
def reassignments_that_are_throttled(talk: Talk) -> None:
    fill(talk, "t", [1])
    fill(talk, "u", [1, 2])
    throttle(talk, ("t", "u"), 1)
    newest = talk.latest(ApiKey.ALTER_PARTITION_REASSIGNMENTS)

    def see(title: str) -> None:
        talk.let_time_pass(1_000)
        for asked, request in [
            ("all", LIST_ALL),
            ("one", listing(("t", [0]))),
            ("the other", listing(("u", [0, 1]), ("missing", [0]))),
        ]:
            talk.ask(f"list {asked}, {title}", request, 0, broker=CONTROLLER)
        for version in (talk.latest(ApiKey.METADATA, 12), 1):
            talk.ask(f"metadata v{version}, {title}", named("t", "u"), version)

    talk.ask("nothing to cancel", reassign(("t", 0, None)), newest, broker=CONTROLLER)
    talk.ask("to 2", reassign(("t", 0, [2])), newest, broker=CONTROLLER)
    see("to 2")
    talk.ask("to 2 again", reassign(("t", 0, [2])), newest, broker=CONTROLLER)
    see("to 2 again")
    talk.ask("to 3 instead", reassign(("t", 0, [3, 1])), newest, broker=CONTROLLER)
    see("to 3 instead")
    for request in elections(talk):
        talk.ask(
            "the first is not in sync",
            request,
            talk.latest(ApiKey.ELECT_LEADERS),
            broker=CONTROLLER,
        )
    talk.ask("cancelled", reassign(("t", 0, None)), newest, broker=CONTROLLER)
    see("cancelled")
    talk.ask("nothing to cancel again", reassign(("t", 0, None)), newest, broker=CONTROLLER)
    several = reassign(("t", 0, [2, 3]), ("u", 0, [3, 2]))
    talk.ask("both", several, newest, broker=CONTROLLER)
    see("both")
    talk.ask("one cancelled", reassign(("u", 0, None)), newest, broker=CONTROLLER)
    see("one cancelled")
    talk.ask("as it was", reassign(("t", 0, [1])), newest, broker=CONTROLLER)
    see("as it was")
    talk.ask("grows", reassign(("t", 0, [1, 2, 3])), newest, broker=CONTROLLER)
    see("grows")
    throttle(talk, ("t", "u"), None)
    await_shape(talk, "t", Shape(0, [1, 2, 3]))
    see("is done")


def elections(talk: Talk) -> list[Message]:
    """Request elections while the preferred replica is not in sync."""
    return [
        ElectLeadersRequest(
            election_type=kind,
            topic_partitions=[TopicPartitions(topic="t", partitions=[0])],
            timeout_ms=30_000,
        )
        for kind in (0, 1)
    ]
