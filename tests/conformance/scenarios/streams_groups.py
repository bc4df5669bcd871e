"""StreamsGroupHeartbeat and StreamsGroupDescribe: groups of the streams protocol (KIP-1071)."""

from functools import partial

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.delete_groups import DeleteGroupsRequest
from mockbroker.protocol.messages.list_groups import ListGroupsRequest
from mockbroker.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from mockbroker.protocol.messages.streams_group_describe import StreamsGroupDescribeRequest
from mockbroker.protocol.messages.streams_group_heartbeat import (
    KeyValue,
    Topology,
)
from tests.conformance.groups import Client, await_group, describe
from tests.conformance.scenarios.transactional_offsets import offset_fetch
from tests.conformance.script import scenario
from tests.conformance.streams_groups import (
    AT_ONCE,
    StreamsMember,
    alter_group,
    describe_streams,
    offsets,
    simple,
)
from tests.conformance.talk import Talk
from tests.conformance.transactions import (
    Member,
    Transactor,
    await_complete,
    offset_commit,
    styles,
)

NEWEST = ("4.4",)


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
def statuses_of_streams_groups(talk: Talk) -> None:
    talk.topic("input", partitions=2)
    group, topology = "sg-status", [simple("input")]
    await_group(talk, group)
    one = StreamsMember(talk=talk, group=group, topology=topology, topology_epoch=3)
    one.join()
    stale = StreamsMember(talk=talk, group=group, topology=[simple("old")], name="b")
    stale.join("is behind")
    stale.beat("is still behind", {})
    alter_group(talk, group, "streams.rack.aware.assignment.tags", "zone,cluster")
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


@scenario(
    transactional=True,
    settings={"group.streams.initial.rebalance.delay.ms": "3000"},
    presets=NEWEST,
)
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


@scenario(transactional=True, settings=AT_ONCE, presets=NEWEST)
def offsets_of_streams_groups(talk: Talk) -> None:
    talk.topic("input", partitions=2)
    talk.topic("other")
    group, topology = "sg-offsets", [simple("input")]
    await_group(talk, group)
    one = StreamsMember(talk=talk, group=group, topology=topology)
    one.join()
    one.beat("owns all", {"0": [0, 1]})
    client = Client(talk=talk, group=group, member_id=one.member_id)

    commit = partial(_commit, client)
    commit("commits", one.epoch, ("input", 0, 5))
    commit("of a later epoch", one.epoch + 1, ("input", 0, 6))
    commit("of an earlier epoch", one.epoch - 1, ("input", 0, 6))
    commit("of an unknown member", one.epoch, ("input", 0, 6), member="member-x")
    commit("of nobody", -1, ("input", 0, 6), member=" ")
    client.versions = {ApiKey.OFFSET_COMMIT: 8}
    commit("in an old version", one.epoch, ("input", 0, 6))
    client.versions = {ApiKey.OFFSET_COMMIT: 9}
    two = StreamsMember(talk=talk, group=group, topology=topology, name="b")
    two.join()
    one.beat("is told")
    one.beat("gave up", {"0": [0]})
    two.beat("gets its share", {})
    commit("of its old epoch", one.epoch - 1, ("input", 0, 7))
    commit("of a task that it gave up", one.epoch - 1, ("input", 1, 7))
    commit("of another topic, in its old epoch", one.epoch - 1, ("other", 0, 7))
    commit("of another topic", one.epoch, ("other", 0, 7))
    _fetch_and_delete(talk, one)
    joining = Client(talk=talk, group=group, name="classic")
    joining.ask("joins a streams group", joining.join_request())
    one.leave()
    two.leave()
    commit("to an empty group", -1, ("input", 0, 9), member=" ")
    joining.ask("joins an empty streams group", joining.join_request())
    one.join("joins a classic group")


@scenario(transactional=True, settings=AT_ONCE, presets=NEWEST)
def transactional_offsets_of_streams_groups(talk: Talk) -> None:
    talk.topic("input", partitions=2)
    talk.topic("other")
    group, topology = "sg-transactional", [simple("input")]
    await_group(talk, group)
    one = StreamsMember(talk=talk, group=group, topology=topology)
    one.join()
    one.beat("owns all", {"0": [0, 1]})
    *_, style = styles(talk.release)
    transactor = Transactor(talk, "sg-transactional", style)
    transactor.init()

    def commit(title: str, epoch: int, part: tuple[str, int, int], member_id: str) -> None:
        member = Member(group=group, generation=epoch, member_id=member_id)
        request = offset_commit(
            talk, transactor.transactional_id, transactor.producer, member, part
        )
        talk.ask_patiently(title, request, style.offset_commit)

    commit("commits", one.epoch, ("input", 0, 5), one.member_id)
    commit("of a later epoch", one.epoch + 1, ("input", 0, 6), one.member_id)
    commit("of an earlier epoch", one.epoch - 1, ("input", 0, 6), one.member_id)
    commit("of an unknown member", one.epoch, ("input", 0, 6), "member-x")
    commit("of nobody", -1, ("input", 1, 6), "")
    commit("of nobody in an epoch", one.epoch, ("input", 1, 6), "")
    two = StreamsMember(talk=talk, group=group, topology=topology, name="b")
    two.join()
    one.beat("is told")
    one.beat("gave up", {"0": [0]})
    two.beat("gets its share", {})
    commit("of its old epoch", one.epoch - 1, ("input", 0, 7), one.member_id)
    commit("of a task that it gave up", one.epoch - 1, ("input", 1, 7), one.member_id)
    commit("of another topic, in its old epoch", one.epoch - 1, ("other", 0, 7), one.member_id)
    commit("of another topic", one.epoch, ("other", 0, 7), one.member_id)
    transactor.end("commits all", committed=True)
    await_complete(talk, transactor, committed=True)
    fetch = offset_fetch(talk, group, ("input", 0), ("input", 1), ("other", 0))
    talk.ask_patiently("fetched", fetch, talk.latest(ApiKey.OFFSET_FETCH))
    one.leave()
    two.leave()
    commit("to an empty group, of one that left", one.epoch, ("input", 0, 9), one.member_id)


@scenario(
    transactional=True,
    settings={
        **AT_ONCE,
        "group.streams.max.size": "2",
        "group.streams.session.timeout.ms": "2000",
        "group.streams.min.session.timeout.ms": "2000",
        "group.streams.heartbeat.interval.ms": "500",
        "group.streams.min.heartbeat.interval.ms": "500",
    },
    presets=NEWEST,
)
def timeouts_of_streams_groups(talk: Talk) -> None:
    talk.topic("input", partitions=2)
    group, topology = "sg-timeouts", [simple("input")]
    await_group(talk, group)
    one, two, three = (
        StreamsMember(talk=talk, group=group, topology=topology, name=name) for name in "abc"
    )
    one.join("with a short timeout", rebalance_timeout_ms=1000)
    one.beat("owns all", {"0": [0, 1]})
    two.join()
    three.join("joins a full group")
    one.beat("is to give up a task")
    describe_streams(talk, "gives up", group)
    talk.let_time_pass(1500)
    two.beat("gets all", {})
    one.beat("is fenced")
    describe_streams(talk, "fenced", group)
    talk.let_time_pass(2500)
    two.beat("has expired")
    describe_streams(talk, "expired", group)


def _commit(
    client: Client, title: str, epoch: int, part: tuple[str, int, int], member: str = ""
) -> None:
    member_id = member or client.member_id
    client.ask(title, client.commit_request(part, generation=epoch, member_id=member_id))


def _fetch_and_delete(talk: Talk, one: StreamsMember) -> None:
    group = one.group
    for version in (8, 9, 10):
        for epoch in (one.epoch, one.epoch + 1):
            request = offset_fetch(talk, group, ("input", 0))
            request.groups[0].member_id = one.member_id
            request.groups[0].member_epoch = epoch
            talk.ask(f"fetched in epoch {epoch}, v{version}", request, version)
    delete = OffsetDeleteRequest(
        group_id=group,
        topics=[
            OffsetDeleteRequestTopic(
                name=name, partitions=[OffsetDeleteRequestPartition(partition_index=0)]
            )
            for name in ("input", "other")
        ],
    )
    talk.ask("deletes offsets", delete, 0)
