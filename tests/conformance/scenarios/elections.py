"""ElectLeaders: elections of the preferred replica, and of any replica."""

from collections.abc import Sequence

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.elect_leaders import ElectLeadersRequest, TopicPartitions
from tests.conformance.batches import plain
from tests.conformance.releases import defaults_since
from tests.conformance.requests import produce
from tests.conformance.scenarios.metadata import named
from tests.conformance.scenarios.reassignments import Shape, await_shape, reassign
from tests.conformance.script import scenario
from tests.conformance.talk import CONTROLLER, Talk

PREFERRED, UNCLEAN, NONSENSE = 0, 1, 7


def elect(
    *topics: tuple[str, Sequence[int]], election_type: int = PREFERRED, timeout_ms: int = 30_000
) -> ElectLeadersRequest:
    """Elect leaders of partitions, each a (topic, partitions)."""
    return ElectLeadersRequest(
        election_type=election_type,
        topic_partitions=[
            TopicPartitions(topic=name, partitions=list(partitions)) for name, partitions in topics
        ],
        timeout_ms=timeout_ms,
    )


def elect_all(election_type: int = PREFERRED) -> ElectLeadersRequest:
    """Elect leaders of every partition."""
    return ElectLeadersRequest(
        election_type=election_type, topic_partitions=None, timeout_ms=30_000
    )


@scenario(presets=defaults_since("2.3"))
def elect_leaders(talk: Talk) -> None:
    talk.topic("t", partitions=2)
    talk.topic("u")
    for version in talk.versions(ApiKey.ELECT_LEADERS):
        for kind, election_type in [("preferred", PREFERRED), ("unclean", UNCLEAN)]:
            if version == 0 and election_type:
                continue
            for title, request in [
                ("all", elect_all(election_type)),
                ("none", elect(election_type=election_type)),
                ("no partition", elect(("t", []), election_type=election_type)),
                ("one topic", elect(("t", [0, 1]), election_type=election_type)),
                ("unknown", elect(("t", [1, 2, -1]), ("m", [0]), election_type=election_type)),
                ("a bad name", elect(("bad name", [0]), ("", [0]), election_type=election_type)),
                ("twice", elect(("t", [0, 0]), election_type=election_type)),
                (
                    "a topic twice",
                    elect(("t", [0]), ("u", [0]), ("t", [1]), election_type=election_type),
                ),
            ]:
                talk.ask(f"{kind}, {title}, v{version}", request, version)
        if version > 0:
            for election_type in (NONSENSE, -1):
                odd = elect(("t", [0]), election_type=election_type)
                talk.ask(f"type {election_type}, v{version}", odd, version)
                talk.ask(f"type {election_type}, all, v{version}", elect_all(NONSENSE), version)
        for timeout_ms in (0, -1):
            odd = elect(("t", [0]), timeout_ms=timeout_ms)
            talk.ask(f"timeout {timeout_ms}, v{version}", odd, version)


@scenario(brokers=3, presets=defaults_since("2.4"))
def elect_leaders_of_three_brokers(talk: Talk) -> None:
    talk.topic("t", assignments=[[1, 2], [2, 3], [3, 1]])
    talk.topic("u", assignments=[[1]])
    other = talk.controller() % 3 + 1
    talk.roles[other] = "another broker"
    newest = talk.latest(ApiKey.ELECT_LEADERS)
    for version in talk.versions(ApiKey.ELECT_LEADERS):
        asked = elect(("t", [0, 1, 9]), ("missing", [0]))
        talk.ask(f"of another, v{version}", asked, version, broker=other)
        talk.ask(f"all, of another, v{version}", elect_all(), version, broker=other)
    talk.roles.pop(other)
    turned: list[tuple[int, Sequence[int]]] = [(0, [2, 1]), (1, [3, 2]), (2, [1, 3])]
    for partition, replicas in turned:
        turn = reassign(("t", partition, replicas))
        talk.ask(f"turn {partition}", turn, 0, broker=CONTROLLER)
        shape = Shape(partition, replicas)
        await_shape(talk, "t", shape)
        talk.ask("metadata", named("t"), talk.latest(ApiKey.METADATA, 12))
    for kind, election_type in [("unclean", UNCLEAN), ("preferred", PREFERRED)]:
        request = elect(("t", [0]), ("u", [0]), election_type=election_type)
        talk.ask(f"{kind}, one", request, newest, broker=CONTROLLER)
    await_shape(talk, "t", Shape(0, [2, 1], leader=2))
    talk.ask("metadata after one", named("t"), talk.latest(ApiKey.METADATA, 12))
    talk.ask("one again", elect(("t", [0])), newest, broker=CONTROLLER)
    talk.ask("all", elect_all(), newest, broker=CONTROLLER)
    for shape in (Shape(1, [3, 2], leader=3), Shape(2, [1, 3], leader=1)):
        await_shape(talk, "t", shape)
    talk.ask("metadata after all", named("t"), talk.latest(ApiKey.METADATA, 12))
    talk.ask("all again", elect_all(), newest, broker=CONTROLLER)
    data = plain(b"a", at_ms=talk.at(0))
    for broker in (1, 2):
        write = produce(talk, ("t", 0, data))
        talk.ask("a write", write, talk.latest(ApiKey.PRODUCE), broker=broker)
    for name, replicas in [("t", [1, 2])]:
        talk.ask("turn 0 again", reassign((name, 0, replicas)), 0, broker=CONTROLLER)
    await_shape(talk, "t", Shape(0, [1, 2]))
    mixed = elect(("missing", [0]), ("t", [9, 0, 1]), election_type=PREFERRED)
    talk.ask("some can, some cannot", mixed, newest, broker=CONTROLLER)
    await_shape(talk, "t", Shape(0, [1, 2], leader=1))
    talk.ask("metadata at last", named("t"), talk.latest(ApiKey.METADATA, 12))


@scenario(brokers=3, presets=defaults_since("2.4"))
def elect_leaders_without_time(talk: Talk) -> None:
    talk.topic("t", assignments=[[1, 2]])
    for version, replicas in zip(
        talk.versions(ApiKey.ELECT_LEADERS), ([2, 1], [1, 2], [2, 1]), strict=True
    ):
        talk.ask("turn", reassign(("t", 0, replicas)), 0, broker=CONTROLLER)
        await_shape(talk, "t", Shape(0, replicas))
        request = elect(("t", [0]), timeout_ms=0)
        talk.ask(f"no time, v{version}", request, version, broker=CONTROLLER)
        talk.let_time_pass(500)
        talk.ask("metadata", named("t"), talk.latest(ApiKey.METADATA, 12))
