"""Groups whose coordinator moves to another broker between two steps of their members."""

from mockbroker.protocol.messages.delete_groups import DeleteGroupsRequest
from tests.conformance.consumer_groups import AT_ONCE as CONSUMERS_AT_ONCE
from tests.conformance.consumer_groups import Member, describe_consumers, list_groups
from tests.conformance.groups import Client, describe
from tests.conformance.moves import move_coordinator
from tests.conformance.script import scenario
from tests.conformance.streams_groups import AT_ONCE as STREAMS_AT_ONCE
from tests.conformance.streams_groups import StreamsMember, describe_streams, simple
from tests.conformance.talk import Talk
from tests.conformance.transactions import await_coordinator

NEWEST = ("4.4",)


@scenario(brokers=3, alone=True, settings=CONSUMERS_AT_ONCE, presets=NEWEST)
def moves_of_a_consumer_group(talk: Talk) -> None:
    talk.topic("topic", partitions=3)
    group = "cg-moves"
    await_coordinator(talk, group, 0)
    one, two, static = (
        Member(talk=talk, group=group, name=name, instance_id=instance_id)
        for name, instance_id in (("a", None), ("b", None), ("c", "i-c"))
    )
    move_coordinator(talk, group, 1)
    one.join()
    move_coordinator(talk, group, 2)
    one.beat("owns all", {"topic": [0, 1, 2]})
    two.join()
    move_coordinator(talk, group, 3)
    describe_consumers(talk, "one is to revoke", group)
    one.beat("is told")
    move_coordinator(talk, group, 1)
    one.beat("is told again")
    one.beat("has revoked", {"topic": [0, 1]})
    move_coordinator(talk, group, 2)
    two.beat("gets its share", {})
    describe_consumers(talk, "shared", group)
    static.join()
    move_coordinator(talk, group, 3)
    static.leave("goes away", -2)
    move_coordinator(talk, group, 1)
    describe_consumers(talk, "one is away", group)
    static.join("is back")
    one.leave()
    move_coordinator(talk, group, 2)
    one.beat("is unknown")
    two.beat("is to revoke nothing", {"topic": [2]})
    describe_consumers(talk, "at the end", group)


@scenario(brokers=3, alone=True, settings=STREAMS_AT_ONCE, presets=NEWEST)
def moves_of_a_streams_group(talk: Talk) -> None:
    talk.topic("input", partitions=3)
    group = "sg-moves"
    await_coordinator(talk, group, 0)
    one, two = (
        StreamsMember(talk=talk, group=group, topology=[simple("input")], name=name)
        for name in "ab"
    )
    move_coordinator(talk, group, 1)
    one.join()
    move_coordinator(talk, group, 2)
    one.beat("owns all", {"0": [0, 1, 2]})
    two.join()
    move_coordinator(talk, group, 3)
    describe_streams(talk, "one is to revoke", group)
    one.beat("is told")
    move_coordinator(talk, group, 1)
    one.beat("has revoked", {"0": [0, 1]})
    move_coordinator(talk, group, 2)
    two.beat("gets its share", {})
    describe_streams(talk, "shared", group)
    move_coordinator(talk, group, 3)
    one.leave()
    move_coordinator(talk, group, 1)
    one.beat("is unknown")
    two.beat("gets all", {"0": [2]})
    describe_streams(talk, "at the end", group)


@scenario(brokers=3, alone=True, settings=CONSUMERS_AT_ONCE, presets=NEWEST)
def an_unknown_member_joins_an_empty_group(talk: Talk) -> None:
    """Kafka forgets the group without a tombstone, until another coordinator reads its records."""
    talk.topic("topic", partitions=3)
    group = "cg-dropped"
    await_coordinator(talk, group, 0)
    move_coordinator(talk, group, 1)
    consumer = Member(talk=talk, group=group)
    consumer.join()
    consumer.leave()
    unknown_member_joins(talk, group)
    describe_consumers(talk, "not yet forgotten", group)
    consumer.beat("has left")
    list_groups(talk, "not yet forgotten")
    talk.ask("deleted", DeleteGroupsRequest(groups_names=[group]), 2)
    simple = Client(talk=talk, group=group)
    simple.generation = -1
    simple.commit(("topic", 0, 5), title="commits as nobody")
    describe_consumers(talk, "forgotten", group)
    list_groups(talk, "forgotten")
    move_coordinator(talk, group, 2)
    describe_consumers(talk, "found again", group)
    unknown_member_joins(talk, group)
    consumer.join("begins again")
    describe_consumers(talk, "begun again", group)
    move_coordinator(talk, group, 3)
    describe_consumers(talk, "at the end", group)


@scenario(brokers=3, alone=True, settings=STREAMS_AT_ONCE, presets=NEWEST)
def an_unknown_member_joins_an_empty_streams_group(talk: Talk) -> None:
    talk.topic("input", partitions=3)
    group = "sg-dropped"
    await_coordinator(talk, group, 0)
    move_coordinator(talk, group, 1)
    member = StreamsMember(talk=talk, group=group, topology=[simple("input")])
    member.join()
    member.leave()
    unknown_member_joins(talk, group)
    describe_streams(talk, "not yet forgotten", group)
    member.beat("has left")
    list_groups(talk, "not yet forgotten")
    move_coordinator(talk, group, 2)
    describe_streams(talk, "found again", group)
    unknown_member_joins(talk, group)
    member.join("begins again")
    describe_streams(talk, "begun again", group)
    move_coordinator(talk, group, 3)
    describe_streams(talk, "at the end", group)


def unknown_member_joins(talk: Talk, group: str) -> None:
    """Send a JoinGroup with a member id that nobody has."""
    client = Client(talk=talk, group=group)
    client.ask("joins with an unknown id", client.join_request(member_id="x"))
    describe(talk, "an unknown member came", group)
