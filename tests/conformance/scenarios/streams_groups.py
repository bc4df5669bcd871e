"""StreamsGroupHeartbeat and StreamsGroupDescribe: groups of the streams protocol (KIP-1071)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.delete_groups import DeleteGroupsRequest
from mockbroker.protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from mockbroker.protocol.messages.list_groups import ListGroupsRequest
from mockbroker.protocol.messages.streams_group_describe import StreamsGroupDescribeRequest
from mockbroker.protocol.messages.streams_group_heartbeat import (
    CopartitionGroup,
    KeyValue,
    Subtopology,
    Topology,
)
from tests.conformance.groups import await_group, describe
from tests.conformance.script import scenario
from tests.conformance.streams_groups import (
    AT_ONCE,
    StreamsMember,
    await_topics,
    describe_streams,
    internal,
    offsets,
    simple,
)
from tests.conformance.talk import Talk

NEWEST = ("4.4",)
GROUP_RESOURCE = 32


@scenario(transactional=True, settings=AT_ONCE, presets=NEWEST)
def streams_members_share_tasks(talk: Talk) -> None:
    talk.topic("input", partitions=3)
    group, topology = "sg-share", [simple("input")]
    await_group(talk, group)
    describe_streams(talk, "missing", group)
    one = StreamsMember(talk=talk, group=group, topology=topology)
    two = StreamsMember(talk=talk, group=group, topology=topology, name="b")
    one.beat("is not there", {}, member_epoch=3)
    one.leave("is not there to leave")
    one.join()
    describe_streams(talk, "one", group)
    one.beat("has not taken them yet", {})
    one.beat("owns all", {"0": [0, 1, 2]})
    one.beat()
    two.join()
    describe_streams(talk, "two wait", group)
    two.beat("waits", {})
    one.beat("is told")
    describe_streams(talk, "one revokes", group)
    two.beat("waits still", {})
    one.beat("still owns all", {"0": [0, 1, 2]})
    one.beat("says nothing")
    one.beat("gave up", {"0": [0, 1]})
    describe_streams(talk, "gave up", group)
    two.beat("gets its share", {})
    two.beat("owns it", {"0": [2]})
    describe_streams(talk, "shared", group)
    request = ListGroupsRequest(states_filter=[], types_filter=[])
    talk.ask("listed", request, talk.latest(ApiKey.LIST_GROUPS))
    describe(talk, "by the classic request", group)
    talk.ask("not empty", DeleteGroupsRequest(groups_names=[group]), 2)
    two.join("joins again")
    two.leave()
    describe_streams(talk, "one left", group)
    one.beat("gets all again")
    one.join("joins again")
    one.leave()
    describe_streams(talk, "empty", group)
    filtered = ListGroupsRequest(states_filter=["empty"], types_filter=["Streams"])
    talk.ask("listed as empty", filtered, talk.latest(ApiKey.LIST_GROUPS))
    one.beat("is gone")
    one.join("comes back")
    one.leave("leaves again")
    talk.ask("delete", DeleteGroupsRequest(groups_names=[group]), 2)
    describe_streams(talk, "deleted", group)


@scenario(transactional=True, settings=AT_ONCE, presets=NEWEST)
def streams_groups_in_each_version(talk: Talk) -> None:
    talk.topic("input", partitions=2)
    group = "sg-versions"
    await_group(talk, group)
    for version in talk.versions(ApiKey.STREAMS_GROUP_HEARTBEAT):
        member = StreamsMember(
            talk=talk, group=group, topology=[simple("input")], name=f"v{version}", version=version
        )
        member.join(f"joins, v{version}")
        member.beat(f"beats, v{version}")
        member.leave(f"leaves, v{version}")
    for version in talk.versions(ApiKey.STREAMS_GROUP_DESCRIBE):
        request = StreamsGroupDescribeRequest(
            group_ids=[group, "sg-none", ""], include_authorized_operations=True
        )
        talk.ask(f"described, v{version}", request, version)
        none = StreamsGroupDescribeRequest(group_ids=[])
        talk.ask(f"nothing described, v{version}", none, version)


@scenario(transactional=True, settings=AT_ONCE, presets=NEWEST)
def streams_heartbeats_that_are_refused(talk: Talk) -> None:
    talk.topic("input", partitions=2)
    group = "sg-refused"
    await_group(talk, group)
    one = StreamsMember(talk=talk, group=group, topology=[simple("input")])
    one.join("without a member id", member_id="")
    one.join("with a blank member id", member_id=" ")
    one.join("with an empty instance id", instance_id="")
    one.join("with an empty rack", rack_id="")
    one.join("without a rebalance timeout", rebalance_timeout_ms=-1)
    one.join("without a topology", topology=None)
    one.join("without roles", active_tasks=None, standby_tasks=None, warmup_tasks=None)
    one.leave()
    one.join("with one role", standby_tasks=None)
    for field in ("active_tasks", "standby_tasks", "warmup_tasks"):
        owned = one.request(({"0": [0]},)).active_tasks
        one.join(f"with {field}", **{field: owned})
    one.join()
    one.beat("with a topology", topology=one.full_request().topology)
    one.beat("with one role", active_tasks=[])
    one.leave("as a static one", epoch=-2)
    one.beat("with an invalid epoch", member_epoch=-3)
    one.beat("of an unknown subtopology", {"7": [0]})
    one.beat("of an unknown task", {"0": [0, 2]})
    one.beat("of a negative task", {"0": [-1]})
    one.beat("of a later epoch", member_epoch=one.epoch + 1)
    one.beat("of an earlier epoch", member_epoch=one.epoch - 1)
    one.beat("of another member", member_id="member-other")
    one.leave("of another member", member_id="member-other")
    one.beat("of an unknown instance", instance_id="i")
    one.leave("of an unknown instance", instance_id="i")
    twice = offsets(("0", 0, 5), ("0", 0, 6))
    one.beat("with two offsets of a task", task_offsets=twice)
    one.beat("with two end offsets of a task", task_end_offsets=twice)
    other = StreamsMember(talk=talk, group=group, name="b", topology=[simple("input")])
    other.join("another topology", topology=Topology(epoch=0, subtopologies=[simple("other")]))
    other.join("a later topology", topology=Topology(epoch=1, subtopologies=[simple("input")]))
    other.join("a negative epoch", topology=Topology(epoch=-1, subtopologies=[simple("input")]))
    other.join("no subtopology", topology=Topology(epoch=0, subtopologies=[]))
    describe_streams(talk, "after all", group)


@scenario(transactional=True, settings=AT_ONCE, presets=NEWEST)
def streams_topologies_that_are_invalid(talk: Talk) -> None:
    talk.topic("input", partitions=2)
    talk.topic("wide", partitions=3)
    cases = {
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
                copartition_groups=[
                    CopartitionGroup(source_topics=[0], repartition_source_topics=[0])
                ],
            ),
        ],
        "negative partitions": [
            simple("input", sinks=["r"]),
            Subtopology(subtopology_id="1", repartition_source_topics=[internal("r", -1)]),
        ],
    }
    for number, (title, subtopologies) in enumerate(cases.items()):
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
    one = StreamsMember(talk=talk, group=group, topology=topology, endpoint=("host", 80))
    one.endpoint = None
    one.join("misses topics")
    describe_streams(talk, "not ready", group)
    await_topics(
        talk, "sg-store-changelog", "sg-a-repartition", "sg-b-repartition", "sg-other-changelog"
    )
    one.beat("gets tasks", {})
    describe_streams(talk, "ready", group)
    one.leave()


@scenario(transactional=True, settings=AT_ONCE, presets=NEWEST)
def static_members_of_streams_groups(talk: Talk) -> None:
    talk.topic("input", partitions=2)
    group, topology = "sg-static", [simple("input")]
    await_group(talk, group)
    one = StreamsMember(talk=talk, group=group, topology=topology, instance_id="i")
    one.join()
    one.beat("owns all", {"0": [0, 1]})
    other = StreamsMember(
        talk=talk, group=group, topology=topology, name="b", instance_id="i", process="a"
    )
    other.join("too early")
    other.beat("of a member that is not its own", member_epoch=one.epoch)
    other.leave("of a member that is not its own")
    one.leave("leaves for a moment", epoch=-2)
    describe_streams(talk, "away", group)
    other.join("is back")
    describe_streams(talk, "back", group)
    other.beat("owns all", {"0": [0, 1]})
    one.beat("is fenced")
    other.leave("leaves for a moment", epoch=-2)
    moved = StreamsMember(
        talk=talk, group=group, topology=topology, name="c", instance_id="i", process="c"
    )
    moved.join("is back in another process")
    moved.leave()
    describe_streams(talk, "empty", group)


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
    _alter(talk, group, "streams.num.standby.replicas", "1")
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
def statuses_of_streams_groups(talk: Talk) -> None:
    talk.topic("input", partitions=2)
    group, topology = "sg-status", [simple("input")]
    await_group(talk, group)
    one = StreamsMember(talk=talk, group=group, topology=topology, topology_epoch=3)
    one.join()
    stale = StreamsMember(talk=talk, group=group, topology=[simple("old")], name="b")
    stale.join("is behind")
    stale.beat("is still behind", {})
    _alter(talk, group, "streams.rack.aware.assignment.tags", "zone,cluster")
    one.beat("lacks tags", {"0": [0, 1]})
    tagged = StreamsMember(
        talk=talk,
        group=group,
        topology=topology,
        topology_epoch=3,
        name="c",
        tags={"zone": "z", "cluster": "k"},
    )
    tagged.join("has tags")
    one.beat("has one tag", client_tags=[KeyValue(key="zone", value="z")])
    stale.version = 0
    stale.beat("does not know of tags")
    describe_streams(talk, "tags", group)
    stale.leave("asks for a shutdown", shutdown_application=True)
    one.beat("is to shut down")
    tagged.beat("asks too", shutdown_application=True)
    one.leave()
    tagged.leave()
    one.join("joins anew")


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


@scenario(transactional=True, presets=NEWEST)
def delays_of_streams_groups(talk: Talk) -> None:
    talk.topic("input", partitions=2)
    group, topology = "sg-delay", [simple("input")]
    await_group(talk, group)
    one = StreamsMember(talk=talk, group=group, topology=topology)
    two = StreamsMember(talk=talk, group=group, topology=topology, name="b")
    one.join("joins an empty group")
    describe_streams(talk, "delayed", group)
    two.join("joins in time")
    one.beat("waits", {})
    talk.let_time_pass(3500)
    describe_streams(talk, "assigned", group)
    one.beat("gets its share", {})
    two.beat("gets its share", {})
    talk.let_time_pass(1500)
    two.leave()
    one.beat("gets all", {"0": [0]})
    two.join("joins too early")
    talk.let_time_pass(1500)
    one.beat("is told", {"0": [0, 1]})
    describe_streams(talk, "told", group)


def _settle(members: list[StreamsMember], title: str) -> None:
    """Let members report what they were assigned until nothing changes any more."""
    owned: dict[str, list[dict[str, list[int]]]] = {}
    for turn in range(4):
        for member in members:
            roles = owned.get(member.name, [{}])
            answer = member.beat(f"{title}, turn {turn}", *roles)
            tasks = [getattr(answer, f"{role}_tasks", None) for role in ("active", "standby")]
            if tasks[0] is not None:
                owned[member.name] = [
                    {each.subtopology_id: each.partitions for each in role} for role in tasks
                ]


def _alter(talk: Talk, group: str, name: str, value: str) -> None:
    resource = AlterConfigsResource(
        resource_type=GROUP_RESOURCE,
        resource_name=group,
        configs=[AlterableConfig(name=name, config_operation=0, value=value)],
    )
    talk.ask(f"{name} {value}", IncrementalAlterConfigsRequest(resources=[resource]), 1)
    talk.wait_a_moment(100)
