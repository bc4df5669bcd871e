"""Topologies and tasks of streams groups: validation, internal topics, standby tasks (KIP-1071)."""

from collections.abc import Mapping
from typing import Final

from mockbroker.protocol.messages.streams_group_describe import StreamsGroupDescribeRequest
from mockbroker.protocol.messages.streams_group_heartbeat import (
    CopartitionGroup,
    Subtopology,
)
from mockbroker.protocol.messages.streams_group_topology_description_update import (
    StreamsGroupTopologyDescriptionUpdateRequest,
    TopologyDescription,
)
from tests.conformance.groups import await_group
from tests.conformance.script import scenario
from tests.conformance.streams_groups import (
    AT_ONCE,
    StreamsMember,
    alter_group,
    await_topics,
    describe_streams,
    internal,
    offsets,
    simple,
)
from tests.conformance.talk import Talk

NEWEST = ("4.4",)


INVALID: Final[Mapping[str, list[Subtopology]]] = {
    "regular expression": [Subtopology(subtopology_id="0", source_topic_regex=["in.*"])],
    "changelog with partitions": [
        Subtopology(
            subtopology_id="0",
            source_topics=["input"],
            state_changelog_topics=[internal("log", 2)],
        )
    ],
    "internal topic": [simple("__consumer_offsets", "input")],
    "invalid names": [simple("in put", "a/b")],
    "no source": [simple()],
    "repartition topic without a sink": [
        Subtopology(subtopology_id="0", repartition_source_topics=[internal("r")])
    ],
    "a loop": [
        Subtopology(
            subtopology_id="0",
            repartition_sink_topics=["r"],
            repartition_source_topics=[internal("r")],
        )
    ],
    "missing": [simple("none"), simple("input", "nil", "nought", "zero", name="1")],
    "two of one id": [simple("input"), simple("wide")],
    "copartitioned": [
        Subtopology(
            subtopology_id="0",
            source_topics=["input", "wide"],
            copartition_groups=[CopartitionGroup(source_topics=[0, 1])],
        )
    ],
    "index beyond the topics": [
        Subtopology(
            subtopology_id="0",
            source_topics=["input"],
            copartition_groups=[CopartitionGroup(source_topics=[0, 1])],
        )
    ],
    "fixed partitions": [
        simple("input", sinks=["r"]),
        Subtopology(
            subtopology_id="1",
            source_topics=["input"],
            repartition_source_topics=[internal("r", 5)],
            copartition_groups=[CopartitionGroup(source_topics=[0], repartition_source_topics=[0])],
        ),
    ],
    "negative partitions": [
        simple("input", sinks=["r"]),
        Subtopology(subtopology_id="1", repartition_source_topics=[internal("r", -1)]),
    ],
}
"""Topologies of topics `input`, with two partitions, and `wide`, with three."""


@scenario(transactional=True, settings=AT_ONCE, presets=NEWEST)
def streams_topologies_that_are_invalid(talk: Talk) -> None:
    talk.topic("input", partitions=2)
    talk.topic("wide", partitions=3)
    for number, (title, subtopologies) in enumerate(INVALID.items()):
        group = f"sg-invalid-{number}"
        await_group(talk, group)
        member = StreamsMember(talk=talk, group=group, topology=subtopologies)
        member.join(title)
        describe_streams(talk, title, group)
        member.beat(f"{title}, next")


@scenario(transactional=True, settings=AT_ONCE, presets=NEWEST)
def streams_topics_that_the_broker_creates(talk: Talk) -> None:
    talk.topic("input", partitions=2)
    talk.topic("wide", partitions=3)
    group = "sg-internal"
    topology = [
        Subtopology(
            subtopology_id="0",
            source_topics=["input"],
            state_changelog_topics=[
                internal("sg-store-changelog", cleanup_policy="compact", segment_bytes="1048576")
            ],
            repartition_sink_topics=["sg-a-repartition", "sg-b-repartition"],
        ),
        Subtopology(
            subtopology_id="1",
            source_topics=["wide"],
            repartition_source_topics=[
                internal("sg-a-repartition"),
                internal("sg-b-repartition", 4, 1),
            ],
            state_changelog_topics=[internal("sg-other-changelog")],
            copartition_groups=[CopartitionGroup(source_topics=[0], repartition_source_topics=[0])],
        ),
    ]
    await_group(talk, group)
    one = StreamsMember(
        talk=talk,
        group=group,
        topology=topology,
    )
    one.join("misses topics")
    describe_streams(talk, "not ready", group)
    await_topics(
        talk, "sg-store-changelog", "sg-a-repartition", "sg-b-repartition", "sg-other-changelog"
    )
    talk.wait_a_moment(250)
    one.beat("gets tasks", {})
    describe_streams(talk, "ready", group)
    one.leave()


@scenario(transactional=True, settings=AT_ONCE, presets=NEWEST)
def standby_tasks_of_streams_groups(talk: Talk) -> None:
    talk.topic("input", partitions=3)
    talk.topic("sg-standby-changelog", partitions=3)
    group = "sg-standby"
    topology = [simple("input", changelogs=["sg-standby-changelog"])]
    await_group(talk, group)
    members = [
        StreamsMember(talk=talk, group=group, topology=topology, name=name, process=process)
        for name, process in (("a", "p"), ("b", "p"), ("c", "q"))
    ]
    one, two, three = members
    for member in members:
        member.join()
    _settle(members, "without standby tasks")
    alter_group(talk, group, "streams.num.standby.replicas", "1")
    _settle(members, "with standby tasks")
    describe_streams(talk, "standby", group)
    one.beat("reports", task_offsets=offsets(("0", 1, 7)), task_end_offsets=offsets(("0", 1, 9)))
    describe_streams(talk, "offsets", group)
    one.leave()
    _settle([two, three], "after one left")
    describe_streams(talk, "one left", group)
    three.leave()
    _settle([two], "after two left")
    one.join("comes back", task_offsets=offsets(("0", 0, 5), ("0", 2, 5)))
    three.join("comes back", task_offsets=offsets(("0", 1, 5)))
    _settle(members, "together again")
    describe_streams(talk, "together", group)


@scenario(transactional=True, settings=AT_ONCE, presets=NEWEST)
def endpoints_of_streams_groups(talk: Talk) -> None:
    talk.topic("input", partitions=2)
    talk.topic("narrow", partitions=1)
    group, topology = "sg-endpoints", [simple("input", "narrow")]
    await_group(talk, group)
    one = StreamsMember(talk=talk, group=group, topology=topology, endpoint=("one", 1))
    two = StreamsMember(
        talk=talk, group=group, topology=topology, name="b", endpoint=("two", 65535)
    )
    three = StreamsMember(talk=talk, group=group, topology=topology, name="c")
    one.join()
    one.beat("knows all", {"0": [0, 1]})
    two.join()
    one.beat("is told")
    one.beat("gave up", {"0": [0]})
    two.beat("gets its share", {})
    three.join()
    three.beat("has none", {})
    three.beat("forgot", endpoint_information_epoch=0)
    one.beat("knows all", {"0": [0]})
    two.join("without an endpoint", user_endpoint=None)
    one.beat("sees it")
    early = StreamsMember(
        talk=talk, group="sg-early", topology=[simple("none")], endpoint=("three", 3)
    )
    await_group(talk, "sg-early")
    early.join("too early for an endpoint")
    describe_streams(talk, "endpoints", group, "sg-early")


@scenario(transactional=True, settings=AT_ONCE, presets=NEWEST)
def descriptions_of_topologies(talk: Talk) -> None:
    talk.topic("input")
    group = "sg-description"
    await_group(talk, group)
    one = StreamsMember(talk=talk, group=group, topology=[simple("input")])
    one.join()
    update = StreamsGroupTopologyDescriptionUpdateRequest(
        group_id=group,
        member_id=one.member_id,
        topology_epoch=0,
        topology_description=TopologyDescription(),
    )
    talk.ask("description", update, 0)
    for groups in ([group], ["sg-none"]):
        request = StreamsGroupDescribeRequest(group_ids=groups, include_topology_description=True)
        talk.ask(f"{groups[0]} with its description", request, 1)


def _settle(members: list[StreamsMember], title: str) -> None:
    """Let members report what they were assigned until nothing changes any more."""
    owned: dict[str, list[dict[str, list[int]]]] = {}
    for turn in range(4):
        for member in members:
            roles = owned.get(member.name, [{}])
            answer = member.beat(f"{title}, turn {turn}", *roles)
            active, standby = (getattr(answer, f"{role}_tasks") for role in ("active", "standby"))
            if active is not None and standby is not None:
                owned[member.name] = [
                    {each.subtopology_id: each.partitions for each in role}
                    for role in (active, standby)
                ]
