"""Offsets and administration of consumer groups, and their meetings with classic groups."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.messages.delete_groups import DeleteGroupsRequest
from mockbroker.protocol.messages.join_group import JoinGroupResponse
from mockbroker.protocol.messages.offset_commit import OffsetCommitRequest
from mockbroker.protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup
from mockbroker.protocol.messages.offset_fetch import OffsetFetchRequestTopics as FetchedTopics
from tests.conformance.consumer_groups import AT_ONCE, Member, describe_consumers, list_groups
from tests.conformance.groups import Client, await_group, commit_topics, describe
from tests.conformance.scenarios.consumer_groups import WITH_CONSUMERS
from tests.conformance.scenarios.group_log import note_log
from tests.conformance.scenarios.group_offsets import offset_delete
from tests.conformance.script import scenario
from tests.conformance.talk import Talk
from tests.conformance.transactions import Member as Committer
from tests.conformance.transactions import Transactor, offset_commit, styles

NEWEST = ("4.4",)


def commit(
    talk: Talk,
    title: str,
    member: Member,
    version: int,
    *offsets: tuple[str, int, int],
    epoch: int | None = None,
) -> None:
    """Commit offsets as a member, in its epoch or another one."""
    request = OffsetCommitRequest(
        group_id=member.group,
        generation_id_or_member_epoch=member.epoch if epoch is None else epoch,
        member_id=member.member_id,
        group_instance_id=member.instance_id,
        topics=commit_topics(talk, offsets),
    )
    talk.ask(f"{member.name}: {title}, v{version}", request, version)


def fetch(
    talk: Talk,
    title: str,
    group: str,
    version: int,
    member_id: str | None,
    member_epoch: int,
    *,
    stable: bool = False,
) -> None:
    """Fetch offsets as a member."""
    topics = [FetchedTopics(name="topic", topic_id=talk.id_of("topic"), partition_indexes=[0, 1])]
    of_group = OffsetFetchRequestGroup(
        group_id=group, member_id=member_id, member_epoch=member_epoch, topics=topics
    )
    request = OffsetFetchRequest(groups=[of_group], require_stable=stable)
    talk.ask(f"{title}, v{version}", request, version)


@scenario(transactional=True, settings=AT_ONCE, presets=WITH_CONSUMERS)
def offsets_of_consumers(talk: Talk) -> None:
    talk.topic("topic", partitions=2)
    group = "co-epochs"
    await_group(talk, group)
    one, two = Member(talk=talk, group=group), Member(talk=talk, group=group, name="b")
    stranger = Member(talk=talk, group=group, name="x")
    stranger.epoch = 2
    commit(talk, "has no group", stranger, 9, ("topic", 0, 1))
    one.join()
    one.beat("owns both", {"topic": [0, 1]})
    for version in (2, 8, 9, 10):
        commit(talk, "commits", one, version, ("topic", 0, version), ("topic", 1, version))
        commit(talk, "is ahead", one, version, ("topic", 0, 1), epoch=one.epoch + 1)
        commit(talk, "is behind", one, version, ("topic", 0, 1), epoch=one.epoch - 1)
        commit(talk, "has no epoch", one, version, ("topic", 0, 1), epoch=-1)
        commit(talk, "is no member", stranger, version, ("topic", 0, 1))
        nobody = Member(talk=talk, group=group, name="nobody")
        nobody.member_id = ""
        commit(talk, "is nobody", nobody, version, ("topic", 0, 1), epoch=-1)
    for version in (8, 9, 10):
        fetch(talk, "fetches", group, version, one.member_id, one.epoch)
        fetch(talk, "fetches ahead", group, version, one.member_id, one.epoch + 1)
        fetch(talk, "fetches behind", group, version, one.member_id, one.epoch - 1)
        fetch(talk, "fetches as a stranger", group, version, "x", one.epoch)
        fetch(talk, "fetches as nobody", group, version, None, -1)
        fetch(talk, "fetches as nobody with an id", group, version, "", -1)
        fetch(talk, "fetches with an id and no epoch", group, version, one.member_id, -1)
        fetch(talk, "fetches for no group", "co-missing", version, one.member_id, 1)
    two.join()
    one.beat("is told")
    first = one.epoch
    commit(talk, "revokes, and commits", one, 9, ("topic", 0, 21), ("topic", 1, 21))
    one.beat("revoked", {"topic": [0]})
    commit(talk, "commits in its last epoch", one, 9, ("topic", 0, 22), epoch=first)
    commit(talk, "commits what it has not", one, 9, ("topic", 1, 22), epoch=first)
    commit(talk, "commits both", one, 9, ("topic", 0, 23), ("topic", 1, 23), epoch=first)
    two.beat("gets its share")
    commit(talk, "commits too early", two, 9, ("topic", 1, 24), epoch=two.epoch - 1)
    commit(talk, "commits", two, 9, ("topic", 1, 24))
    fetch(talk, "after all", group, 9, None, -1)
    talk.ask("delete an offset", offset_delete(group, ("topic", 0), ("other", 0)), 0)
    two.leave()
    one.leave()
    commit(talk, "has left", one, 9, ("topic", 0, 25), epoch=first)
    commit(talk, "commits to the empty group", stranger, 9, ("topic", 0, 25), epoch=-1)
    commit(talk, "commits to the empty group", stranger, 8, ("topic", 0, 25), epoch=-1)
    fetch(talk, "when empty", group, 9, None, -1)
    talk.ask("delete offsets", offset_delete(group, ("topic", 0), ("topic", 1)), 0)
    fetch(talk, "when deleted", group, 9, None, -1)
    describe_consumers(talk, "at the end", group)


@scenario(transactional=True, settings=AT_ONCE, presets=NEWEST)
def transactions_of_consumers(talk: Talk) -> None:
    talk.topic("topic", partitions=2)
    newest = [style for style in styles(talk.release) if style.bumps][-1]
    for version in range(3, talk.latest(ApiKey.TXN_OFFSET_COMMIT) + 1):
        group = f"co-txn-{version}"
        await_group(talk, group)
        member = Member(talk=talk, group=group)
        member.join()
        member.beat("owns both", {"topic": [0, 1]})
        one = Transactor(talk, group, newest)
        one.init()
        one.write(None, ("topic", 0), b"value")
        for title, member_id, epoch in (
            ("as a member", member.member_id, member.epoch),
            ("ahead", member.member_id, member.epoch + 1),
            ("behind", member.member_id, member.epoch - 1),
            ("as a stranger", "x", member.epoch),
            ("as nobody", "", -1),
        ):
            who = Committer(group=group, member_id=member_id, generation=epoch)
            request = offset_commit(talk, group, one.producer, who, ("topic", 0, 5))
            one.send(f"commits {title}, v{version}", request, version)
        await_group(talk, f"{group}-none")
        lost = Committer(group=f"{group}-none", member_id="x", generation=1)
        request = offset_commit(talk, group, one.producer, lost, ("topic", 0, 5))
        one.send(f"commits in no group, v{version}", request, version)
        fetch(talk, f"open, {version}", group, 9, None, -1, stable=True)


@scenario(
    transactional=True,
    settings={**AT_ONCE, "group.consumer.migration.policy": "disabled"},
    presets=NEWEST,
)
def consumer_and_classic_groups(talk: Talk) -> None:
    talk.topic("topic")
    group, other, simple = "cc-consumer", "cc-classic", "cc-simple"
    await_group(talk, group, other, simple)
    one = Member(talk=talk, group=group)
    one.join()
    classic = Client(talk=talk, group=group)
    classic.ask("joins a consumer group", classic.join_request())
    classic.ask("joins it with an id", classic.join_request(member_id="x"))
    classic.member_id, classic.generation = one.member_id, one.epoch
    classic.heartbeat("beats in a consumer group")
    classic.sync(title="syncs in a consumer group")
    classic.leave()
    for version in talk.versions(ApiKey.DESCRIBE_GROUPS):
        if version >= 5:
            describe(talk, f"a consumer group, v{version}", group)
    member = Client(talk=talk, group=other)
    member.join()
    member.sync(member)
    Member(talk=talk, group=other).join("joins a classic group")
    beating = Member(talk=talk, group=other)
    beating.epoch = 1
    beating.beat("beats in a classic group")
    beating.leave("leaves a classic group")
    describe_consumers(talk, "a classic group", other)
    for types in ((), ("classic",), ("consumer",), ("Consumer", "classic"), ("share",), ("x",)):
        list_groups(talk, f"types {types}", types=types)
    for states in (("stable",), ("Assigning", "reconciling"), ("Empty",)):
        list_groups(talk, f"states {states}", states=states)
    member.leave()
    one.leave()
    Member(talk=talk, group=other).join("takes an empty classic group")
    classic.member_id, classic.generation = "", -1
    classic.join("takes an empty consumer group")
    describe_consumers(talk, "exchanged", group, other)
    describe(talk, "exchanged", group, other)
    simple_one = Client(talk=talk, group=simple)
    simple_one.commit(("topic", 0, 5))
    Member(talk=talk, group=simple).join("takes a simple group")
    fetch(talk, "of the simple group", simple, 9, None, -1)
    talk.ask("delete all", DeleteGroupsRequest(groups_names=[group, other, simple, "cc-none"]), 2)
    list_groups(talk, "at the end")


@scenario(alone=True, settings=AT_ONCE, presets=WITH_CONSUMERS)
def the_log_of_a_consumer_group(talk: Talk) -> None:
    talk.topic("topic", partitions=2)
    group = "logged"
    await_group(talk, group)
    one = Member(talk=talk, group=group, assignor="range", rack_id="r")
    two = Member(talk=talk, group=group, name="b", instance_id="i", rebalance_timeout_ms=50_000)
    one.join()
    one.beat("owns both", {"topic": [0, 1]})
    commit(talk, "commits", one, 9, ("topic", 0, 5))
    two.join()
    one.beat("is told")
    one.beat("revoked", {"topic": [1]})
    two.beat("gets its share")
    note_log(talk, "shared")
    two.leave("leaves for a moment", -2)
    other = Member(talk=talk, group=group, name="c", instance_id="i", rebalance_timeout_ms=50_000)
    other.join("takes its place")
    other.leave()
    one.beat("gets all")
    one.leave()
    note_log(talk, "left")
    talk.ask("delete", DeleteGroupsRequest(groups_names=[group]), 2)
    note_log(talk, "deleted")
    classic = Client(talk=talk, group=group)
    classic.join()
    classic.leave()
    one.join("takes the classic group")
    note_log(talk, "taken")


@scenario(transactional=True, settings=AT_ONCE, presets=WITH_CONSUMERS)
def members_of_another_protocol(talk: Talk) -> None:
    talk.topic("topic", partitions=2)
    group, other = "mp-consumer", "mp-classic"
    await_group(talk, group, other)
    one = Member(talk=talk, group=group)
    one.join()
    classic = Client(talk=talk, group=group)
    answer = talk.quietly(classic.join_request(), talk.latest(ApiKey.JOIN_GROUP))
    assert isinstance(answer, JoinGroupResponse)
    talk.note("joins a consumer group", "JoinGroup", ErrorCode(answer.error_code).name)
    wrong = Client(talk=talk, group=group, protocol_type="connect")
    wrong.ask("joins it with another protocol type", wrong.join_request())
    member = Client(talk=talk, group=other)
    member.join()
    member.sync(member)
    Member(talk=talk, group=other).join("joins a classic group")
