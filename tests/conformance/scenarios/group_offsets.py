"""Offsets of groups with members: commit, fetch and deletion by members and others."""

from collections.abc import Callable

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from mockbroker.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
)
from tests.conformance.groups import (
    NOBODY,
    Client,
    await_group,
    await_state,
    commit_topics,
    stable_group,
    subscription,
)
from tests.conformance.releases import defaults_since
from tests.conformance.scenarios.transactional_offsets import offset_fetch
from tests.conformance.script import scenario
from tests.conformance.talk import Talk
from tests.conformance.transactions import (
    Member,
    Transactor,
    add_offsets,
    offset_commit,
    styles,
)

MEMBER_IN_TRANSACTIONS_FROM = 3
"""The version of TxnOffsetCommit from which requests name the member (KIP-447)."""
TELLING_VERSIONS = (0, 1, 2, 8, 9, 10)
"""Versions of OffsetCommit that differ in their answers or in their processing."""
SUBSCRIBED = subscription(b"", b"topic")
"""Metadata of a consumer that subscribes to `topic`."""

Commit = Callable[[str, Client, int, str], None]


def in_every_state(talk: Talk, group: str, commit: Commit) -> None:
    """Commit as a member and as other clients, in every state of a group."""
    one = Client(talk=talk, group=group)
    two = Client(talk=talk, group=group, name="b")

    def try_all(state: str) -> None:
        generations = [("the", one.generation), ("the last", one.generation - 1), ("no", -1)]
        for which, generation in [*generations, ("a later", 99)]:
            for who in (one.member_id, NOBODY, ""):
                known = "a" if who and who == one.member_id else who or "nobody at all"
                commit(f"as {known} in {which} generation, {state}", one, generation, who)

    try_all("no members ever")
    one.join()
    try_all("before the sync")
    one.sync(one)
    try_all("stable")
    pending = two.begin_join()
    await_state(talk, group, "PreparingRebalance", members=2)
    try_all("another waits")
    one.join("joins again")
    two.finish_join(pending)
    try_all("both joined")
    one.leave()
    two.leave()
    try_all("empty")


@scenario(transactional=True)
def commits_in_every_state(talk: Talk) -> None:
    talk.topic("topic")
    for version in TELLING_VERSIONS:
        if version not in talk.versions(ApiKey.OFFSET_COMMIT):
            continue
        group = f"commits-v{version}"
        await_group(talk, group)

        def commit(
            title: str, one: Client, generation: int, who: str, version: int = version
        ) -> None:
            request = one.commit_request(("topic", 0, 5), generation=generation, member_id=who)
            talk.ask(f"{title}, v{version}", request, version)

        in_every_state(talk, group, commit)


@scenario(transactional=True, presets=defaults_since("2.8"))
def transactional_commits_in_every_state(talk: Talk) -> None:
    talk.topic("topic")
    *_, style = styles(talk.release)
    for version in sorted({MEMBER_IN_TRANSACTIONS_FROM, talk.latest(ApiKey.TXN_OFFSET_COMMIT)}):
        group = f"transactional-commits-v{version}"
        await_group(talk, group)
        transactor = Transactor(talk, group, style)
        transactor.init()
        added = add_offsets(group, transactor.producer, group)
        transactor.send(None, added, talk.latest(ApiKey.ADD_OFFSETS_TO_TXN, 3))

        def commit(
            title: str,
            one: Client,
            generation: int,
            who: str,
            version: int = version,
            transactor: Transactor = transactor,
        ) -> None:
            member = Member(group=one.group, generation=generation, member_id=who)
            request = offset_commit(talk, one.group, transactor.producer, member, ("topic", 0, 5))
            talk.ask_patiently(f"{title}, v{version}", request, version)
            request.group_instance_id = "i"
            talk.ask_patiently(f"{title}, with an instance id, v{version}", request, version)

        in_every_state(talk, group, commit)


@scenario(transactional=True)
def offsets_of_active_groups(talk: Talk) -> None:
    talk.topic("topic", partitions=2)
    group = "active"
    await_group(talk, group, "active-missing", "active-other")
    one = Client(talk=talk, group=group)
    stable_group(one)
    one.commit(("topic", 0, 5), ("topic", 1, 6), ("missing", 0, 1), ("topic", 9, 1))
    other = Client(talk=talk, group="active-other")
    other.commit(("topic", 1, 8), title="commits as a simple group")
    for version in talk.versions(ApiKey.OFFSET_FETCH):
        if version == 0:
            continue
        for name in (group, "active-missing", "active-other"):
            request = offset_fetch(talk, name, ("topic", 0), ("topic", 1), ("missing", 0))
            talk.ask(f"of {name}, v{version}", request, version)
            if version >= 2:
                request.topics = None
                request.groups[0].topics = None
                talk.ask(f"all of {name}, v{version}", request, version)
            if version >= 7:
                request.require_stable = True
                talk.ask(f"all stable of {name}, v{version}", request, version)


@scenario(transactional=True, presets=defaults_since("3.6"))
def offsets_of_several_groups(talk: Talk) -> None:
    talk.topic("topic", partitions=2)
    group = "several"
    names = (group, "several-missing", "several-simple")
    await_group(talk, *names)
    one = Client(talk=talk, group=group)
    stable_group(one)
    one.commit(("topic", 0, 5))
    Client(talk=talk, group="several-simple").commit(("topic", 1, 8))
    for version in talk.versions(ApiKey.OFFSET_FETCH):
        if version < 8:
            continue

        def asked(
            *groups: str, member_id: str | None = None, member_epoch: int = -1
        ) -> OffsetFetchRequest:
            topics = [
                OffsetFetchRequestTopics(
                    name="topic", topic_id=talk.id_of("topic"), partition_indexes=[0, 1]
                )
            ]
            return OffsetFetchRequest(
                groups=[
                    OffsetFetchRequestGroup(
                        group_id=name,
                        member_id=member_id,
                        member_epoch=member_epoch,
                        topics=topics if index % 2 == 0 else None,
                    )
                    for index, name in enumerate(groups)
                ]
            )

        talk.ask(f"several, v{version}", asked(*names), version)
        talk.ask(f"one twice, v{version}", asked(group, group), version)
        talk.ask(f"none, v{version}", asked(), version)
        if version < 9:
            continue
        for member_id in (one.member_id, NOBODY, ""):
            for member_epoch in (-1, 0, one.generation, 99):
                shown = "a" if member_id == one.member_id else member_id or "nobody at all"
                request = asked(*names, member_id=member_id, member_epoch=member_epoch)
                talk.ask(f"as {shown} in epoch {member_epoch}, v{version}", request, version)


def offset_delete(group: str, *parts: tuple[str, int]) -> OffsetDeleteRequest:
    """Delete committed offsets, each a (topic, partition)."""
    topics: dict[str, OffsetDeleteRequestTopic] = {}
    for name, index in parts:
        topics.setdefault(name, OffsetDeleteRequestTopic(name=name)).partitions.append(
            OffsetDeleteRequestPartition(partition_index=index)
        )
    return OffsetDeleteRequest(group_id=group, topics=list(topics.values()))


@scenario(transactional=True, presets=defaults_since("2.4"))
def offsets_are_deleted(talk: Talk) -> None:
    for name in ("topic", "unwanted"):
        talk.topic(name, partitions=2)
    group = "deleting"
    await_group(talk, group, f"{group}-simple", f"{group}-missing", f"{group}-connect")
    every = [("topic", 0), ("topic", 1), ("unwanted", 0), ("missing", 0), ("topic", 9)]

    def delete(title: str, of: str, *parts: tuple[str, int]) -> None:
        talk.ask(title, offset_delete(of, *parts), 0)
        fetched = offset_fetch(talk, of, ("topic", 0), ("topic", 1), ("unwanted", 0))
        talk.ask(f"{title}: what is left", fetched, talk.latest(ApiKey.OFFSET_FETCH, 7))

    delete("of a missing group", f"{group}-missing", *every)
    offsets = [("topic", 0, 5), ("topic", 1, 6), ("unwanted", 0, 7)]
    simple = Client(talk=talk, group=f"{group}-simple")
    simple.commit(*offsets)
    delete("of a simple group: nothing", simple.group)
    delete("of a simple group: one", simple.group, ("topic", 0), ("topic", 0))
    delete("of a simple group: all", simple.group, *every)
    delete("of a simple group: again", simple.group, *every)
    one = Client(talk=talk, group=group, protocols=[("range", SUBSCRIBED)], sends_raw=True)
    one.join()
    delete("before the sync", group, ("topic", 0), ("unwanted", 0))
    one.sync(one)
    one.commit(*offsets)
    delete("of a stable group", group, *every)
    one.leave()
    delete("of an empty group", group, *every)
    connect = Client(talk=talk, group=f"{group}-connect", protocol_type="connect")
    stable_group(connect)
    connect.commit(*offsets)
    delete("of a group of workers", connect.group, *every)
    connect.leave()
    delete("of an empty group of workers", connect.group, *every)


# Others never end a rebalance with such members.
@scenario(transactional=True, presets=("2.4", "4.4"))
def offsets_of_odd_members_are_deleted(talk: Talk) -> None:
    talk.topic("topic")
    for title, metadata in {
        "nothing": b"",
        "rubbish": b"\xff" * 9,
        "cut off": SUBSCRIBED[:9],
        "version 99": b"\x00\x63" + SUBSCRIBED[2:],
        "version -1": b"\xff\xff" + SUBSCRIBED[2:],
    }.items():
        group = f"odd-{title.replace(' ', '-')}"
        await_group(talk, group)
        one = Client(talk=talk, group=group, protocols=[("range", metadata)], sends_raw=True)
        stable_group(one)
        one.commit(("topic", 0, 5))
        talk.ask(f"{title}: delete", offset_delete(group, ("topic", 0)), 0)
        one.leave()


@scenario(transactional=True)
def commits_of_simple_groups(talk: Talk) -> None:
    talk.topic("topic")
    await_group(talk, "simple")
    for version in talk.versions(ApiKey.OFFSET_COMMIT):
        one = Client(talk=talk, group="simple", versions={ApiKey.OFFSET_COMMIT: version})
        for offset in (7, 0, -1, -5, (1 << 63) - 1):
            one.commit(("topic", 0, offset), title=f"commits {offset}")
        request = one.commit_request(("topic", 0, 5))
        request.topics += commit_topics(talk, [("topic", 0, 6), ("missing", 0, 1)])
        one.ask("commits twice", request)
        one.commit(title="commits nothing")
        fetched = offset_fetch(talk, "simple", ("topic", 0))
        talk.ask(f"what is left, v{version}", fetched, talk.latest(ApiKey.OFFSET_FETCH))
