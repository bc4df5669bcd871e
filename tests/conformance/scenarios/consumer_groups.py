"""ConsumerGroupHeartbeat and ConsumerGroupDescribe: groups of the consumer protocol (KIP-848)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from mockbroker.protocol.messages.create_partitions import (
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from mockbroker.protocol.messages.delete_groups import DeleteGroupsRequest
from tests.conformance.consumer_groups import AT_ONCE, Member, describe_consumers, list_groups
from tests.conformance.groups import await_group, describe
from tests.conformance.releases import CONSUMERS_OF_3_9
from tests.conformance.script import scenario
from tests.conformance.talk import Talk

NEWEST = ("4.4",)
WITH_CONSUMERS = (*NEWEST, CONSUMERS_OF_3_9)


@scenario(transactional=True, settings=AT_ONCE, presets=WITH_CONSUMERS)
def consumers_share_partitions(talk: Talk) -> None:
    talk.topic("topic", partitions=3)
    group = "cg-share"
    await_group(talk, group)
    describe_consumers(talk, "missing", group)
    one, two = Member(talk=talk, group=group), Member(talk=talk, group=group, name="b")
    one.join()
    describe_consumers(talk, "one", group)
    one.beat("has not taken them yet", {})
    one.beat("owns all", {"topic": [0, 1, 2]})
    one.beat()
    one.send("beats in full", one.full_request({"topic": [0, 1, 2]}))
    two.join()
    describe_consumers(talk, "two wait", group)
    two.beat("waits")
    one.beat("is told", None)
    describe_consumers(talk, "one revokes", group)
    two.beat("waits still")
    one.beat("still owns all", {"topic": [0, 1, 2]})
    one.beat("says nothing")
    one.beat("revoked", {"topic": [0, 1]})
    describe_consumers(talk, "revoked", group)
    two.beat("gets its share")
    two.beat("owns it", {"topic": [2]})
    describe_consumers(talk, "shared", group)
    list_groups(talk, "shared")
    describe(talk, "by the classic request", group)
    talk.ask("not empty", DeleteGroupsRequest(groups_names=[group]), 2)
    two.leave()
    describe_consumers(talk, "one left", group)
    one.beat("gets all again")
    describe_consumers(talk, "one has all", group)
    one.leave()
    describe_consumers(talk, "empty", group)
    list_groups(talk, "empty", states=("empty",), types=("Consumer",))
    one.beat("is gone")
    one.join("comes back")
    one.leave("leaves again")
    talk.ask("delete", DeleteGroupsRequest(groups_names=[group]), 2)
    describe_consumers(talk, "deleted", group)


@scenario(transactional=True, settings=AT_ONCE, presets=WITH_CONSUMERS)
def consumers_in_v0(talk: Talk) -> None:
    talk.topic("topic", partitions=2)
    group = "cg-v0"
    await_group(talk, group)
    one = Member(talk=talk, group=group, version=0)
    one.join()
    one.beat("owns all", {"topic": [0, 1]})
    nameless = one.full_request({}, epoch=0)
    nameless.group_id, nameless.member_id = "cg-v0-b", ""
    await_group(talk, "cg-v0-b")
    answer = talk.quietly(nameless, 0)
    talk.names.learn_text(str(getattr(answer, "member_id", None)), "<given id>")
    describe_consumers(talk, "a nameless member", "cg-v0-b")
    request = ConsumerGroupDescribeRequest(
        group_ids=[group, "cg-v0-missing", group], include_authorized_operations=True
    )
    for version in talk.versions(ApiKey.CONSUMER_GROUP_DESCRIBE):
        talk.ask(f"described, v{version}", request, version)
        none = ConsumerGroupDescribeRequest(group_ids=[])
        talk.ask(f"described none, v{version}", none, version)
        empty = ConsumerGroupDescribeRequest(group_ids=[""])
        talk.ask(f"described without a name, v{version}", empty, version)


@scenario(
    transactional=True, settings={**AT_ONCE, "group.consumer.max.size": "2"}, presets=WITH_CONSUMERS
)
def consumers_are_refused(talk: Talk) -> None:
    talk.topic("topic", partitions=2)
    group = "cg-refused"
    await_group(talk, group, "cg-refused-none")
    for version in talk.versions(ApiKey.CONSUMER_GROUP_HEARTBEAT):
        refuse_malformed(talk, group, version)
    one = Member(talk=talk, group=group)
    one.beat("has not joined, and there is no group")
    one.leave("leaves no group")
    one.join()
    unknown = Member(talk=talk, group=group, name="x")
    unknown.epoch = 2
    unknown.beat("is no member")
    unknown.leave("is no member, and leaves")
    unknown.leave("is no member, and leaves for a moment", -2)
    static = Member(talk=talk, group=group, name="s", instance_id="i")
    static.leave("is no static member", -2)
    static.leave("is no static member, and leaves")
    static.epoch = 1
    static.beat("is no static member, and beats")
    first = one.epoch
    one.epoch = first + 1
    one.beat("is ahead")
    one.epoch = first
    one.beat("owns both", {"topic": [0, 1]})
    one.topics = ("topic", "other")
    one.send("subscribes to more", one.full_request({"topic": [0, 1]}))
    one.send("lost the answer", one.request({"topic": [0, 1]}, epoch=first))
    one.send("lost the answer, and says nothing", one.request(epoch=first))
    one.send("lost the answer, and owns none", one.request({}, epoch=first))
    one.send("owns what it has not", one.request({"topic": [0, 1, 2]}, epoch=first))
    one.send("owns another topic", one.request({"other": [0]}, epoch=first))
    one.send("is far behind", one.request({"topic": [0, 1]}, epoch=1))
    one.join("joins again with epoch 0")
    two = Member(talk=talk, group=group, name="b")
    two.join()
    Member(talk=talk, group=group, name="c").join("is one too many")
    one.beat("is inside")
    describe_consumers(talk, "at the end", group)


def refuse_malformed(talk: Talk, group: str, version: int) -> None:
    """Send requests that are wrong in themselves."""
    one = Member(talk=talk, group=group, version=version)

    def broken(title: str, **fields: object) -> None:
        epoch = fields.pop("member_epoch", 0)
        assert isinstance(epoch, int)
        request = one.full_request({}, epoch=epoch)
        for name, value in fields.items():
            setattr(request, name, value)
        one.send(f"{title}, v{version}", request)

    broken("no group id", group_id="")
    broken("a blank group id", group_id="  ")
    if version:
        broken("no member id", member_id="")
    broken("no member id, epoch 1", member_id="", member_epoch=1)
    broken("no member id, leaves", member_id="", member_epoch=-1)
    broken("no instance id", instance_id="")
    broken("no rack id", rack_id="")
    broken("no timeout", rebalance_timeout_ms=-1)
    broken("null partitions", topic_partitions=None)
    broken("owns before it joins", topic_partitions=one.request({"topic": [0]}).topic_partitions)
    broken("null names", subscribed_topic_names=None)
    broken("leaves for a moment, not static", member_epoch=-2)
    broken("epoch -3", member_epoch=-3)
    broken("an unknown assignor", server_assignor="sticky")
    broken("an unknown assignor, leaving", server_assignor="sticky", member_epoch=-1)


@scenario(transactional=True, settings=AT_ONCE, presets=WITH_CONSUMERS)
def static_consumers(talk: Talk) -> None:
    talk.topic("topic", partitions=4)
    group = "cg-static"
    await_group(talk, group)
    one = Member(talk=talk, group=group, instance_id="i-a")
    two = Member(talk=talk, group=group, name="b", instance_id="i-b")
    one.join()
    two.join()
    one.beat("is told")
    one.beat("revoked", {"topic": [0, 1]})
    two.beat("gets its share")
    two.beat("owns it", {"topic": [2, 3]})
    describe_consumers(talk, "both", group)
    other = Member(talk=talk, group=group, name="c", instance_id="i-b")
    other.join("takes an instance id that is in use")
    other.epoch = two.epoch
    other.beat("beats with an instance id of another")
    other.leave("leaves with an instance id of another")
    two.leave("leaves for a moment", -2)
    describe_consumers(talk, "one is away", group)
    two.beat("beats while away")
    one.beat("beats while the other is away")
    other.join("takes the instance id")
    describe_consumers(talk, "it is back", group)
    two.epoch = other.epoch
    two.beat("is fenced")
    one.beat("has nothing to change")
    other.beat("beats", {"topic": [2, 3]})
    other.leave("leaves for a moment again", -2)
    again = Member(talk=talk, group=group, name="c", instance_id="i-b", topics=("topic", "other"))
    again.join("comes back under its id, with another subscription")
    describe_consumers(talk, "it has changed", group)
    again.beat("beats", {"topic": [2, 3]})
    one.beat("beats", {"topic": [0, 1]})
    again.leave("leaves for ever")
    one.beat("gets all")
    describe_consumers(talk, "one is left", group)
    one.leave("leaves for a moment", -2)
    describe_consumers(talk, "all are away", group)


@scenario(transactional=True, settings=AT_ONCE, presets=WITH_CONSUMERS)
def consumers_choose_assignors(talk: Talk) -> None:
    talk.topic("topic", partitions=5)
    for name in ("uniform", "range"):
        group = f"cg-{name}"
        await_group(talk, group)
        members = [
            Member(talk=talk, group=group, name=each, assignor=name) for each in ("a", "b", "c")
        ]
        settle(members)
        describe_consumers(talk, f"three with {name}", group)
        members[1].leave()
        settle([members[0], members[2]])
        describe_consumers(talk, f"two with {name}", group)
        members[1].join("comes back")
        settle(members)
        describe_consumers(talk, f"three again with {name}", group)
    group = "cg-votes"
    await_group(talk, group)
    voters = [Member(talk=talk, group=group, name=each) for each in ("a", "b", "c")]
    for voter, assignor in zip(voters, (None, "range", "range"), strict=True):
        voter.assignor = assignor
        voter.join(f"joins for {assignor}")
        describe_consumers(talk, f"after {voter.name}", group)
    voters[1].assignor = "uniform"
    voters[1].send("votes otherwise", voters[1].full_request({}))
    describe_consumers(talk, "a tie", group)


def settle(members: list[Member]) -> None:
    """Have members join, and beat until each owns what it was told, without recording steps."""
    talk = members[0].talk
    owned: dict[str, dict[str, list[int]]] = {}
    for _ in range(4):
        for each in members:
            joins = each.epoch <= 0
            of_member = owned.setdefault(each.name, {})
            request = each.full_request({}, epoch=0) if joins else each.request(of_member)
            answer = talk.quietly(request, talk.latest(ApiKey.CONSUMER_GROUP_HEARTBEAT))
            each.epoch = int(getattr(answer, "member_epoch", 0))
            assignment = getattr(answer, "assignment", None)
            names = {talk.id_of(name): name for name in ("topic", "other")}
            if assignment is not None:
                owned[each.name] = {
                    names[topic.topic_id]: list(topic.partitions)
                    for topic in assignment.topic_partitions
                }


@scenario(transactional=True, settings=AT_ONCE, presets=NEWEST)
def many_consumers_of_one_topic(talk: Talk) -> None:
    talk.topic("topic", partitions=20)
    talk.topic("other", partitions=4)
    for assignor in ("uniform", "range"):
        group = f"cg-many-{assignor}"
        await_group(talk, group)
        members = [
            Member(talk=talk, group=group, name=f"{number:02}", assignor=assignor)
            for number in range(12)
        ]
        settle(members)
        describe_consumers(talk, f"twelve with {assignor}", group)
        for each in members[3:9]:
            each.leave(f"leaves ({assignor})")
            each.epoch = 0
        rest = members[:3] + members[9:]
        settle(rest)
        describe_consumers(talk, f"six with {assignor}", group)
        rest[0].topics = ("topic", "other")
        rest[0].send("subscribes to more", rest[0].full_request({}))
        settle(rest)
        describe_consumers(talk, f"different subscriptions with {assignor}", group)
        members[4].topics = ("other",)
        members[5].topics = ()
        settle([*rest, members[4], members[5]])
        describe_consumers(talk, f"more different subscriptions with {assignor}", group)


@scenario(transactional=True, settings=AT_ONCE, presets=NEWEST)
def consumers_follow_their_topics(talk: Talk) -> None:
    group = "cg-topics"
    await_group(talk, group)
    one = Member(talk=talk, group=group, topics=("topic", "later"))
    one.join("joins without a topic")
    describe_consumers(talk, "no topic", group)
    talk.topic("unrelated")
    one.beat("no news")
    talk.topic("topic", partitions=1)
    talk.until_quietly(
        one.request(), 1, lambda answer: getattr(answer, "member_epoch", 0) > one.epoch
    )
    describe_consumers(talk, "a topic", group)
    one.epoch += 1
    one.beat("owns it", {"topic": [0]})
    more = CreatePartitionsRequest(
        topics=[CreatePartitionsTopic(name="topic", count=3, assignments=None)], timeout_ms=30_000
    )
    talk.quietly(more, talk.latest(ApiKey.CREATE_PARTITIONS))
    talk.until_quietly(
        one.request(), 1, lambda answer: getattr(answer, "member_epoch", 0) > one.epoch
    )
    describe_consumers(talk, "more partitions", group)
    one.epoch += 1
    one.topics = ()
    one.send("subscribes to nothing", one.full_request({"topic": [0, 1, 2]}))
    one.beat("still owns them", {"topic": [0, 1, 2]})
    one.beat("gave them up", {})
    describe_consumers(talk, "nothing", group)
    one.topics = ("later", "topic", "topic")
    one.send("subscribes again", one.full_request({}))
    describe_consumers(talk, "again", group)


@scenario(
    transactional=True,
    slow=True,
    settings={
        **AT_ONCE,
        "group.consumer.min.session.timeout.ms": "1000",
        "group.consumer.session.timeout.ms": "2000",
        "group.consumer.min.heartbeat.interval.ms": "500",
        "group.consumer.heartbeat.interval.ms": "700",
    },
    presets=WITH_CONSUMERS,
)
def consumers_time_out(talk: Talk) -> None:
    talk.topic("topic", partitions=2)
    group = "cg-time"
    await_group(talk, group)
    one = Member(talk=talk, group=group, rebalance_timeout_ms=1000)
    two = Member(talk=talk, group=group, name="b")
    one.join()
    one.beat("owns both", {"topic": [0, 1]})
    two.join()
    talk.let_time_pass(1200)
    one.beat("prolongs its session")
    two.beat("prolongs its session")
    describe_consumers(talk, "one has to revoke", group)
    talk.let_time_pass(600)
    one.beat("beats, but revokes nothing")
    two.beat("waits")
    talk.let_time_pass(700)
    describe_consumers(talk, "the rebalance timeout has passed", group)
    one.beat("was too slow")
    two.beat("gets all")
    talk.let_time_pass(2400)
    describe_consumers(talk, "the session timeout has passed", group)
    two.beat("is gone")
    static = Member(talk=talk, group=group, name="s", instance_id="i")
    static.join()
    static.leave("leaves for a moment", -2)
    describe_consumers(talk, "a static member is away", group)
    talk.let_time_pass(2400)
    describe_consumers(talk, "it stayed away", group)


@scenario(
    transactional=True,
    slow=True,
    settings={"group.consumer.assignment.interval.ms": "2000"},
    presets=NEWEST,
)
def assignments_have_an_interval(talk: Talk) -> None:
    talk.topic("topic", partitions=2)
    group = "cg-interval"
    await_group(talk, group)
    one, two = Member(talk=talk, group=group), Member(talk=talk, group=group, name="b")
    one.join()
    two.join()
    describe_consumers(talk, "too early", group)
    one.beat()
    two.beat()
    talk.let_time_pass(2200)
    describe_consumers(talk, "late enough, and nobody has asked", group)
    two.beat("asks")
    describe_consumers(talk, "assigned", group)
    one.beat("is told")
    two.leave()
    one.beat("is told later", {"topic": [0]})
    describe_consumers(talk, "too early again", group)
    talk.let_time_pass(2200)
    one.beat("gets all")
    describe_consumers(talk, "assigned again", group)
