"""ShareGroupHeartbeat and ShareGroupDescribe: members of share groups (KIP-932)."""

from mockbroker.protocol.messages.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from mockbroker.protocol.messages.delete_groups import DeleteGroupsRequest
from mockbroker.protocol.messages.share_group_heartbeat import ShareGroupHeartbeatRequest
from tests.conformance.consumer_groups import Member as ConsumerMember
from tests.conformance.consumer_groups import describe_consumers, list_groups
from tests.conformance.groups import Client, await_group, describe
from tests.conformance.scenarios.group_log import note_log
from tests.conformance.scenarios.group_offsets import offset_delete
from tests.conformance.scenarios.transactional_offsets import offset_fetch
from tests.conformance.script import scenario
from tests.conformance.share_groups import (
    AT_ONCE,
    ShareMember,
    await_initialized,
    describe_share,
    note_shares,
    settle,
)
from tests.conformance.talk import Talk

NEWEST = ("4.4",)


@scenario(settings=AT_ONCE, presets=NEWEST)
def share_members_share_partitions(talk: Talk) -> None:
    talk.topic("topic")
    group = "sh-share"
    await_group(talk, group)
    describe_share(talk, "missing", group, "", group, authorized=True)
    one, two = (ShareMember(talk=talk, group=group, name=name) for name in ("a", "b"))
    one.join()
    await_initialized(talk, group, 1)
    describe_share(talk, "joined", group)
    one.beat("gets all")
    one.beat()
    describe_share(talk, "one", group, authorized=True)
    two.join()
    describe_share(talk, "two", group)
    one.beat("has the same")
    describe_share(talk, "two that share", group)
    one.beat("lost the answer", epoch=one.epoch - 1)
    one.beat("is far behind", epoch=1)
    one.beat("is ahead", epoch=one.epoch + 1)
    one.send("beats in full", one.request(is_full=True))
    one.rack_id = "rack"
    one.send("is in a rack", one.request(is_full=True))
    one.join("joins again")
    describe_share(talk, "joined again", group)
    list_groups(talk, "two")
    list_groups(talk, "of the type", types=("Share",))
    list_groups(talk, "stable", states=("Stable",))
    list_groups(talk, "of another type", types=("consumer",))
    describe(talk, "by the classic request", group)
    describe_consumers(talk, "by the consumers' request", group)
    talk.ask("not empty", DeleteGroupsRequest(groups_names=[group]), 2)
    two.leave()
    describe_share(talk, "one left", group)
    one.beat("has it alone")
    two.beat("is gone")
    two.leave("leaves again")
    one.leave()
    describe_share(talk, "empty", group)
    list_groups(talk, "empty", states=("empty",))
    one.join("comes back")
    describe_share(talk, "back", group)
    one.leave("leaves again")
    talk.ask("delete", DeleteGroupsRequest(groups_names=[group]), 2)
    describe_share(talk, "deleted", group)
    list_groups(talk, "deleted")
    one.leave("leaves no group")
    one.epoch = 3
    one.beat("beats without a group")


@scenario(settings={**AT_ONCE, "group.share.max.size": "2"}, presets=NEWEST)
def share_members_are_refused(talk: Talk) -> None:
    talk.topic("topic")
    group = "sh-refused"
    await_group(talk, group)
    one = ShareMember(talk=talk, group=group)

    def broken(title: str, **fields: object) -> None:
        request = one.request(epoch=0, is_full=True)
        assert isinstance(request, ShareGroupHeartbeatRequest)
        for name, value in fields.items():
            setattr(request, name, value)
        one.send(title, request)

    broken("no group id", group_id="")
    broken("a blank group id", group_id="  ")
    broken("no member id", member_id="")
    broken("neither", member_id="", group_id="")
    broken("no rack id", rack_id="")
    broken("null names", subscribed_topic_names=None)
    broken("no names", subscribed_topic_names=[])
    broken("epoch -2", member_epoch=-2)
    broken("no member id, leaves", member_id="", member_epoch=-1)
    one.beat("has not joined", epoch=1)
    one.leave("leaves no group")
    one.join()
    await_initialized(talk, group, 1)
    two, three = (ShareMember(talk=talk, group=group, name=name) for name in ("b", "c"))
    two.beat("is no member", epoch=1)
    two.leave("is no member, and leaves")
    two.join()
    three.join("is one too many")
    one.join("is inside")
    ConsumerMember(talk=talk, group=group).join("joins a share group")
    client = Client(talk=talk, group=group)
    client.ask("joins a share group", client.join_request())
    client.generation = -1
    client.commit(("topic", 0, 5), title="commits in a share group")
    talk.ask("fetch offsets of a share group", offset_fetch(talk, group, ("topic", 0)), 7)
    talk.ask("delete offsets of a share group", offset_delete(group, ("topic", 0)), 0)
    one.leave()
    two.leave()
    ConsumerMember(talk=talk, group=group).join("joins an empty share group")
    client.ask("joins an empty share group", client.join_request())
    client.commit(("topic", 0, 5), title="commits in an empty share group")
    describe_share(talk, "at the end", group)


@scenario(settings=AT_ONCE, presets=NEWEST)
def share_members_in_groups_of_other_kinds(talk: Talk) -> None:
    talk.topic("topic")
    await_group(talk, "sh-classic", "sh-consumer")
    classic = Client(talk=talk, group="sh-classic")
    classic.join()
    other = ShareMember(talk=talk, group="sh-classic", name="d")
    other.join("joins a classic group")
    other.beat("beats in a classic group", epoch=1)
    other.leave("leaves a classic group")
    classic.leave()
    other.join("joins an empty classic group")
    consumer = ConsumerMember(talk=talk, group="sh-consumer")
    consumer.join()
    other = ShareMember(talk=talk, group="sh-consumer", name="e")
    other.join("joins a consumer group")
    other.leave("leaves a consumer group")
    describe_share(talk, "a consumer group and a classic one", "sh-consumer", "sh-classic")


@scenario(settings=AT_ONCE, presets=NEWEST)
def share_groups_follow_their_topics(talk: Talk) -> None:
    group = "sh-topics"
    await_group(talk, group)
    one = ShareMember(talk=talk, group=group, topics=("topic", "later"))
    one.join("joins without a topic")
    describe_share(talk, "no topic", group)
    talk.topic("unrelated")
    one.beat("no news")
    talk.topic("topic", partitions=1)
    settle([one], 1)
    describe_share(talk, "a topic", group)
    more = CreatePartitionsRequest(
        topics=[CreatePartitionsTopic(name="topic", count=3, assignments=None)], timeout_ms=30_000
    )
    talk.quietly(more, 3)

    settle([one], 3)
    describe_share(talk, "more partitions", group)
    one.subscribe("subscribes to what there is not", "nowhere")
    one.beat("has nothing")
    describe_share(talk, "nothing", group)
    one.subscribe("subscribes again", "topic", "topic")
    describe_share(talk, "again", group)
    two = ShareMember(talk=talk, group=group, name="b", topics=("other",))
    talk.topic("other", partitions=2)
    two.join("subscribes to another topic")
    await_initialized(talk, group, 5)
    two.beat("has the other topic")
    one.beat("keeps its topic")
    describe_share(talk, "two topics", group)


@scenario(settings=AT_ONCE, presets=NEWEST)
def many_share_members_of_a_topic(talk: Talk) -> None:
    """Note how many partitions each has: which ones depends on the topic's id."""
    talk.topic("topic", partitions=7)
    group = "sh-many"
    await_group(talk, group)
    members = [ShareMember(talk=talk, group=group, name=f"{number:02}") for number in range(20)]
    settle(members[:1], 7)
    describe_share(talk, "one member", group)
    for number in (2, 3, 5, 7, 8, 9, 14, 20):
        settle(members[:number], 7)
        note_shares(talk, f"{number} members", group)
    for each in members[2:16]:
        each.leave()
    settle(members[:2] + members[16:], 7)
    note_shares(talk, "six members", group)


@scenario(settings=AT_ONCE, presets=NEWEST)
def share_members_of_different_topics(talk: Talk) -> None:
    talk.topic("topic", partitions=7)
    talk.topic("other", partitions=2)
    group = "sh-different"
    await_group(talk, group)
    members = [ShareMember(talk=talk, group=group, name=f"{number:02}") for number in range(12)]
    for each in members[6:]:
        each.topics = ("other",)
    members[5].topics = ("topic", "other")
    settle(members[:1], 7)
    settle(members[6:7], 9)
    settle(members, 9)
    describe_share(talk, "twelve members", group)
    for each in members[1:9]:
        each.leave()
    settle([members[0], *members[9:]], 9)
    describe_share(talk, "four members", group)
    members[0].subscribe("has the other topic too", "topic", "other")
    describe_share(talk, "two topics", group)
    members[0].subscribe("has nothing", "nowhere")
    settle(members[9:], 9)
    describe_share(talk, "nobody has the first topic", group)


@scenario(
    slow=True,
    settings={
        **AT_ONCE,
        "group.share.min.session.timeout.ms": "1000",
        "group.share.session.timeout.ms": "2000",
        "group.share.min.heartbeat.interval.ms": "500",
        "group.share.heartbeat.interval.ms": "700",
    },
    presets=NEWEST,
)
def share_members_time_out(talk: Talk) -> None:
    talk.topic("topic")
    group = "sh-time"
    await_group(talk, group)
    one, two = (ShareMember(talk=talk, group=group, name=name) for name in ("a", "b"))
    settle([one], 1)
    settle([one, two], 1)
    talk.let_time_pass(1200)
    one.beat("prolongs its session")
    talk.let_time_pass(1200)
    describe_share(talk, "one is gone", group)
    one.beat("gets all")
    two.beat("is gone")
    two.join("comes back")
    one.beat("has less again")


@scenario(slow=True, settings={"group.share.assignment.interval.ms": "2000"}, presets=NEWEST)
def share_assignments_have_an_interval(talk: Talk) -> None:
    talk.topic("topic")
    group = "sh-interval"
    await_group(talk, group)
    one, two = (ShareMember(talk=talk, group=group, name=name) for name in ("a", "b"))
    one.join()
    await_initialized(talk, group, 1)
    one.beat("is too early")
    describe_share(talk, "too early", group)
    talk.let_time_pass(2200)
    one.beat("gets all")
    two.join("is too early")
    one.beat("has not less yet")
    describe_share(talk, "too early again", group)
    talk.let_time_pass(2200)
    two.beat("gets a part")
    one.beat("has the same")
    describe_share(talk, "assigned", group)


@scenario(alone=True, settings=AT_ONCE, presets=NEWEST)
def the_log_of_a_share_group(talk: Talk) -> None:
    talk.topic("topic")
    group = "sh-logged"
    await_group(talk, group)
    one, two = (ShareMember(talk=talk, group=group, name=name) for name in ("a", "b"))
    one.join()
    await_initialized(talk, group, 1)
    one.beat("gets all")
    two.join()
    one.beat("has the same")
    two.leave()
    one.leave()
    note_log(talk, "empty")
    talk.ask("delete", DeleteGroupsRequest(groups_names=[group]), 2)
    note_log(talk, "deleted")
