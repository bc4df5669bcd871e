"""Describe-, Alter- and DeleteShareGroupOffsets: the start offsets of share groups (KIP-932)."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.delete_groups import DeleteGroupsRequest
from mockbroker.protocol.messages.describe_share_group_offsets import (
    DescribeShareGroupOffsetsRequest,
    DescribeShareGroupOffsetsRequestGroup,
)
from tests.conformance.batches import plain
from tests.conformance.consumer_groups import Member as ConsumerMember
from tests.conformance.groups import await_group
from tests.conformance.requests import produce
from tests.conformance.scenarios.consumer_offsets import commit, fetch
from tests.conformance.scenarios.group_offsets import offset_delete
from tests.conformance.scenarios.share_coordinator import ACKNOWLEDGED, GROUP, persister
from tests.conformance.script import scenario
from tests.conformance.share_groups import (
    AT_ONCE,
    ShareMember,
    alter_offsets,
    await_initialized,
    delete_offsets,
    describe_offsets,
    describe_share,
    settle,
)
from tests.conformance.talk import Talk
from tests.conformance.transactions import Member as Committer
from tests.conformance.transactions import Transactor, offset_commit, styles

NEWEST = ("4.4",)
ARCHIVING = 3


def store(talk: Talk, topic: str, partition: int, count: int) -> None:
    """Produce a batch of records."""
    data = plain(*(b"record %d" % number for number in range(count)), at_ms=talk.at(0))
    talk.quietly(produce(talk, (topic, partition, data)), 3)


@scenario(settings=AT_ONCE, presets=NEWEST)
def offsets_of_share_groups(talk: Talk) -> None:
    talk.topic("topic", partitions=2)
    talk.topic("other", partitions=1)
    group = "so-group"
    await_group(talk, group)
    store(talk, "topic", 0, 5)
    describe_offsets(talk, "all of no group", group)
    describe_offsets(talk, "of a missing topic only", group, {"missing": [0]})
    describe_offsets(talk, "of no topics", group, {})
    one = ShareMember(talk=talk, group=group)
    settle([one], 2)
    describe_offsets(talk, "all of a member", group)
    describe_offsets(talk, "some", group, {"topic": [0], "missing": [0, 1], "other": [0]})
    alter_offsets(talk, "alter while not empty", group, {"topic": {0: 1}})
    delete_offsets(talk, "delete while not empty", group, "topic")
    one.leave()
    alter_offsets(talk, "alter", group, {"topic": {0: 1, 1: 0}})
    describe_offsets(talk, "altered", group, {"topic": [0, 1]})
    alter_offsets(talk, "alter another", group, {"other": {0: 3}, "missing": {0: 2, 1: 0}})
    alter_offsets(talk, "alter an unknown partition", group, {"topic": {0: 2, 7: 1}})
    alter_offsets(talk, "alter nothing", group, {})
    await_initialized(talk, group, 3)
    describe_offsets(talk, "altered another", group, {"other": [0]})
    delete_offsets(talk, "delete", group, "other", "missing")
    delete_offsets(talk, "delete again", group, "other")
    describe_offsets(talk, "deleted", group)
    describe_offsets(talk, "deleted, by name", group, {"other": [0]})
    describe_share(talk, "empty", group)
    one.join("comes back")
    one.beat("gets all")
    one.leave()
    talk.ask("delete the group", DeleteGroupsRequest(groups_names=[group]), 2)
    describe_offsets(talk, "without the group", group)
    describe_offsets(talk, "without the group, by name", group, {"topic": [0]})


@scenario(settings=AT_ONCE, presets=NEWEST)
def offsets_of_share_groups_are_refused(talk: Talk) -> None:
    talk.topic("topic", partitions=1)
    await_group(talk, "so-consumer", "so-new", "so-missing")
    alter_offsets(talk, "alter without a name", "", {"topic": {0: 0}})
    delete_offsets(talk, "delete without a name", "", "topic")
    delete_offsets(talk, "delete of no group", "so-missing", "topic")
    describe_offsets(talk, "without a name", "")
    several = DescribeShareGroupOffsetsRequest(
        groups=[
            DescribeShareGroupOffsetsRequestGroup(group_id=name, topics=None)
            for name in ("so-missing", "so-consumer")
        ]
    )
    talk.ask("of several groups", several, 1)
    talk.ask("of no groups", DescribeShareGroupOffsetsRequest(groups=[]), 1)
    ConsumerMember(talk=talk, group="so-consumer").join()
    alter_offsets(talk, "alter of a consumer group", "so-consumer", {"topic": {0: 0}})
    delete_offsets(talk, "delete of a consumer group", "so-consumer", "topic")
    describe_offsets(talk, "of a consumer group", "so-consumer")
    alter_offsets(talk, "alter of a new group", "so-new", {"topic": {0: 4}})
    await_initialized(talk, "so-new", 1)
    describe_share(talk, "a new group", "so-new")
    describe_offsets(talk, "of a new group", "so-new")
    alter_offsets(talk, "alter to a negative offset", "so-new", {"topic": {0: -1}})
    describe_offsets(talk, "negative", "so-new")
    delete_offsets(talk, "delete nothing", "so-new")
    delete_offsets(talk, "delete twice", "so-new", "topic", "topic")
    describe_offsets(talk, "at the end", "so-new")


@scenario(presets=NEWEST)
def offsets_while_records_go_to_a_dead_letter_queue(talk: Talk) -> None:
    asking = persister(talk)
    await_group(talk, GROUP)
    store(talk, "t", 0, 4)
    asking.initialize("initialise", state_epoch=1, start_offset=0)
    asking.write(
        "write what is on its way",
        (0, 0, ACKNOWLEDGED, 1),
        (1, 2, ARCHIVING, 5),
        state_epoch=1,
        done=1,
    )
    describe_offsets(talk, "on their way", GROUP, {"t": [0]})
    asking.write("write that the first is archiving", (0, 0, ARCHIVING, 2), state_epoch=1, done=0)
    describe_offsets(talk, "the first on its way", GROUP, {"t": [0]})
    asking.read("read them")


@scenario(transactional=True, settings=AT_ONCE, presets=NEWEST)
def committed_offsets_and_share_groups(talk: Talk) -> None:
    """A share group has no committed offsets, whoever asks."""
    talk.topic("topic")
    group = "sh-offsets"
    await_group(talk, group)
    member = ShareMember(talk=talk, group=group)
    member.join("joins")
    newest = [style for style in styles(talk.release) if style.bumps][-1]
    one = Transactor(talk, group, newest)
    one.init()
    one.write(None, ("topic", 0), b"value")
    for title, member_id, epoch in (
        ("as a member", member.member_id, member.epoch),
        ("behind", member.member_id, member.epoch - 1),
        ("as a stranger", "x", 1),
        ("as nobody", "", -1),
    ):
        client = ConsumerMember(talk=talk, group=group, name=title)
        client.member_id = member_id
        for version in (8, 9, 10):
            commit(talk, "commits", client, version, ("topic", 0, 1), epoch=epoch)
            fetch(talk, f"{title}: fetches", group, version, member_id or None, epoch)
        who = Committer(group=group, member_id=member_id, generation=epoch)
        for version in range(3, talk.latest(ApiKey.TXN_OFFSET_COMMIT) + 1):
            request = offset_commit(talk, group, one.producer, who, ("topic", 0, 5))
            one.send(f"commits {title}, v{version}", request, version)
    talk.ask("delete an offset", offset_delete(group, ("topic", 0)), 0)
    member.leave()
    client = ConsumerMember(talk=talk, group=group, name="nobody")
    client.member_id = ""
    commit(talk, "commits to the empty group", client, 9, ("topic", 0, 1), epoch=-1)
    fetch(talk, "fetches when empty", group, 9, None, -1)
    one.end(None, committed=False)
    describe_share(talk, "at the end", group)
