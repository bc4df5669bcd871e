"""Offsets committed in transactions: TxnOffsetCommit and OffsetFetch."""

from collections.abc import Iterator
from dataclasses import replace

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from tests.conformance.batches import Producer
from tests.conformance.releases import EVERYWHERE
from tests.conformance.script import scenario
from tests.conformance.talk import Talk
from tests.conformance.transactions import (
    MADE_UP_ID,
    Member,
    Transactor,
    add_offsets,
    await_coordinator,
    offset_commit,
    styles,
)

STABLE_FROM = 7
ADDED_FROM = 5
"""The version of TxnOffsetCommit from which the broker adds the offsets partition itself."""


def offset_fetch(
    talk: Talk, group: str, *parts: tuple[str, int], require_stable: bool = False
) -> OffsetFetchRequest:
    """Build an OffsetFetch request, in any version."""
    old: dict[str, OffsetFetchRequestTopic] = {}
    new: dict[str, OffsetFetchRequestTopics] = {}
    for name, index in parts:
        old.setdefault(name, OffsetFetchRequestTopic(name=name)).partition_indexes.append(index)
        new.setdefault(
            name, OffsetFetchRequestTopics(name=name, topic_id=talk.id_of(name))
        ).partition_indexes.append(index)
    return OffsetFetchRequest(
        group_id=group,
        topics=list(old.values()),
        groups=[OffsetFetchRequestGroup(group_id=group, topics=list(new.values()))],
        require_stable=require_stable,
    )


def await_committed(talk: Talk, group: str, topic: str) -> None:
    """Wait until no commit of a transaction is pending."""
    newest = talk.latest(ApiKey.OFFSET_FETCH)
    if newest >= STABLE_FROM:
        request = offset_fetch(talk, group, (topic, 0), require_stable=True)
        talk.until_quietly(request, newest, lambda answer: "error_code=88" not in repr(answer))
    else:
        await_marker(talk)


def await_marker(talk: Talk) -> None:
    """Wait longer than a group needs to process its marker, which no response shows."""
    talk.wait_a_moment(8)


def see_offsets(talk: Talk, title: str, group: str, topic: str) -> None:
    """Record steps with a group's committed offsets."""
    newest = talk.latest(ApiKey.OFFSET_FETCH)
    for stable in (False, True) if newest >= STABLE_FROM else (False,):
        request = offset_fetch(talk, group, (topic, 0), (topic, 1), require_stable=stable)
        how = ", stable ones only" if stable else ""
        talk.ask(f"{title}: offsets{how}", request, newest)


@scenario(transactional=True, presets=EVERYWHERE)
def offsets_in_transactions(talk: Talk) -> None:
    for style in styles(talk.release):
        for verb, committed in {"commit": True, "abort": False}.items():
            how = f"{verb}, {style.name}"
            group = f"offsets-{style.name}-{verb}"
            talk.topic(group, partitions=2)
            await_coordinator(talk, group, 0)
            one = Transactor(talk, group, style)
            one.init()
            see_offsets(talk, f"before, {how}", group, group)
            if not style.bumps:
                request = add_offsets(group, one.producer, group)
                one.send(f"add, {how}", request, style.add_offsets)
            member = Member(group=group)
            parts = [(group, 0, 5), (group, 1, 7)]
            commit = offset_commit(talk, group, one.producer, member, *parts)
            one.send(f"commit offsets, {how}", commit, style.offset_commit)
            see_offsets(talk, f"open, {how}", group, group)
            one.end(f"end, {how}", committed=committed)
            await_committed(talk, group, group)
            see_offsets(talk, f"ended, {how}", group, group)


def commit_in_every_way(talk: Talk, one: Transactor) -> None:
    """Commit offsets in a transaction, with valid and invalid requests."""
    group, who, version = one.transactional_id, one.producer, one.style.offset_commit
    member = Member(group=group)
    good_part = ("offsets-topic", 0, 3)

    def commit(
        title: str,
        producer: Producer = who,
        member: Member = member,
        *,
        transactional_id: str = group,
        part: tuple[str, int, int] = good_part,
    ) -> None:
        request = offset_commit(talk, transactional_id, producer, member, part)
        talk.ask_patiently(f"{title}, v{version}", request, version)

    commit("nothing added")
    if version < ADDED_FROM or talk.release.name != "4.4":
        request = add_offsets(group, who, group)
        one.send(f"add, v{version}", request, one.style.add_offsets)
    commit("good")
    commit("an epoch behind", replace(who, producer_epoch=0))
    commit("an epoch ahead", replace(who, producer_epoch=9))
    commit("another producer id", replace(who, producer_id=MADE_UP_ID))
    commit("another transactional id", transactional_id=f"{group}-other")
    commit("an empty transactional id", transactional_id="")
    commit("an empty group", member=Member(group=""))
    commit("another group", member=Member(group=f"{group}-other"))
    commit("a generation", member=Member(group=group, generation=3))
    commit("a member", member=Member(group=group, member_id="m"))
    commit("a missing topic", part=("missing", 0, 1))
    commit("a missing partition", part=("offsets-topic", 9, 1))
    commit("a negative offset", part=("offsets-topic", 0, -5))


@scenario(transactional=True, slow=True, presets=EVERYWHERE)
def offsets_in_every_version(talk: Talk) -> None:
    *_, newest = styles(talk.release)
    talk.topic("offsets-topic")
    for version in talk.versions(ApiKey.TXN_OFFSET_COMMIT):
        group = f"offsets-v{version}"
        await_coordinator(talk, group, 0)
        one = Transactor(talk, group, replace(newest, offset_commit=version, end_txn=0))
        one.init()
        one.init()
        commit_in_every_way(talk, one)
        asked = offset_fetch(talk, group, ("offsets-topic", 0))
        for fetch_version in talk.versions(ApiKey.OFFSET_FETCH):
            if fetch_version > 0:
                talk.ask(f"open, v{version}, by v{fetch_version}", asked, fetch_version)
        one.end(f"commit, v{version}", committed=True)
        # Before verification, an epoch ahead keeps the marker from being written at all.
        await_marker(talk)
        talk.ask(f"ended, v{version}", asked, talk.latest(ApiKey.OFFSET_FETCH))


def unlikely_producers(who: Producer, version: int) -> Iterator[tuple[str, Producer]]:
    """Yield producers that have no transaction, with their descriptions."""
    for epoch in (-1, -2, 0):
        yield f"no id, epoch {epoch}", Producer(-1, epoch)
    for epoch in (-1, -2):
        yield f"its own id, epoch {epoch}", replace(who, producer_epoch=epoch)
    for epoch in (-1, -2, 0):
        unknown = MADE_UP_ID + 10 * version + epoch
        yield f"an unknown id, epoch {epoch}", Producer(unknown, epoch)


@scenario(transactional=True, presets=EVERYWHERE)
def offsets_of_unlikely_producers(talk: Talk) -> None:
    *_, newest = styles(talk.release)
    talk.topic("unlikely")
    for version in talk.versions(ApiKey.TXN_OFFSET_COMMIT):
        group = f"unlikely-v{version}"
        await_coordinator(talk, group, 0)
        one = Transactor(talk, group, replace(newest, offset_commit=version, end_txn=0))
        who = one.init()
        member = Member(group=group)
        for title, producer in unlikely_producers(who, version):
            request = offset_commit(talk, group, producer, member, ("unlikely", 0, 3))
            talk.ask_patiently(f"{title}, v{version}", request, version)


@scenario(transactional=True, presets=EVERYWHERE)
def offsets_of_a_fenced_producer(talk: Talk) -> None:
    for style in styles(talk.release):
        how = style.name
        group = f"offsets-fenced-{how}"
        talk.topic(group, partitions=2)
        await_coordinator(talk, group, 0)
        one = Transactor(talk, group, style)
        old = one.init()
        member = Member(group=group)
        if not style.bumps:
            one.send(None, add_offsets(group, old, group), style.add_offsets)
        request = offset_commit(talk, group, old, member, (group, 0, 5))
        one.send(f"commit offsets, {how}", request, style.offset_commit)
        one.init(f"a new one, {how}")
        await_committed(talk, group, group)
        see_offsets(talk, f"after the fence, {how}", group, group)
        talk.ask_patiently(f"the zombie commits offsets, {how}", request, style.offset_commit)
        see_offsets(talk, f"after the zombie, {how}", group, group)
