"""Groups whose coordinator moves to another broker between two steps of their members."""

from mockbroker.protocol.messages.describe_groups import DescribeGroupsRequest
from mockbroker.state.topic.java_hash import java_hash_code
from tests.conformance.answers import error_codes
from tests.conformance.consumer_groups import AT_ONCE as CONSUMERS_AT_ONCE
from tests.conformance.consumer_groups import Member, describe_consumers
from tests.conformance.offsets_log import TOPIC as OFFSETS
from tests.conformance.patience import UNREADY
from tests.conformance.scenarios.reassignments import Shape, await_shape, reassign
from tests.conformance.script import EVERY_CLUSTER, scenario
from tests.conformance.streams_groups import AT_ONCE as STREAMS_AT_ONCE
from tests.conformance.streams_groups import StreamsMember, describe_streams, simple
from tests.conformance.talk import Talk
from tests.conformance.transactions import await_coordinator

NEWEST = ("4.4",)


def move_coordinator(talk: Talk, group: str, broker: int) -> None:
    """Move a group's partition to a broker, which is asked from then on, once it has loaded it."""
    count = int(EVERY_CLUSTER["offsets.topic.num.partitions"])
    index = abs(java_hash_code(group)) % count
    talk.quietly(reassign((OFFSETS, index, [broker])), 0, broker=talk.controller())
    await_shape(talk, OFFSETS, Shape(index, [broker], leader=broker))
    talk.until_quietly(
        DescribeGroupsRequest(groups=[group]),
        0,
        lambda answer: UNREADY.isdisjoint(error_codes(answer)),
        broker=broker,
    )
    talk.home = broker


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
