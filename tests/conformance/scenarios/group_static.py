"""Static members (KIP-345): they rejoin with their instance id."""

from collections.abc import Sequence

from mockbroker.protocol.api_keys import ApiKey
from tests.conformance.groups import (
    NOBODY,
    Client,
    await_group,
    await_state,
    describe,
    is_rebalancing,
    let_arrive,
)
from tests.conformance.releases import defaults_since
from tests.conformance.script import scenario
from tests.conformance.talk import Talk

STATIC_FROM = 5
"""The version of JoinGroup from which members have instance ids."""
WITH_STATIC_MEMBERS = defaults_since("2.3")


def fixed(talk: Talk, group: str, name: str, version: int) -> Client:
    """Create a static client."""
    versions = {ApiKey.JOIN_GROUP: version}
    return Client(talk=talk, group=group, name=name, instance_id=f"i-{name}", versions=versions)


def fixed_group(
    talk: Talk, group: str, version: int, *, protocols: Sequence[tuple[str, bytes]] = ()
) -> tuple[Client, Client]:
    """Create a stable group of two static members; the first leads."""
    await_group(talk, group)
    one, two = (fixed(talk, group, name, version) for name in "ab")
    one.protocols = two.protocols = protocols
    one.join()
    pending = two.begin_join()
    await_state(talk, group, "PreparingRebalance", members=2)
    one.join("joins again")
    two.finish_join(pending)
    waiting = two.begin("syncs", two.sync_request())
    one.sync(one, two)
    talk.finish(waiting)
    return one, two


def zombie_of(client: Client) -> Client:
    """Return the client with its state before another took its instance id."""
    return Client(
        talk=client.talk,
        group=client.group,
        name=f"old {client.name}",
        instance_id=client.instance_id,
        protocols=client.protocols or [("range", f"wants of {client.name}".encode())],
        versions=client.versions,
        member_id=client.member_id,
        generation=client.generation,
    )


def everything(client: Client) -> None:
    """Send every request of a member except JoinGroup."""
    client.heartbeat()
    client.sync()
    client.commit(("topic", 0, 1))


@scenario(transactional=True, presets=WITH_STATIC_MEMBERS)
def static_members_come_back(talk: Talk) -> None:
    talk.topic("topic")
    for version in talk.versions(ApiKey.JOIN_GROUP):
        if version < STATIC_FROM:
            continue
        group = f"static-v{version}"
        one, two = fixed_group(talk, group, version)
        describe(talk, f"stable, v{version}", group)
        old = zombie_of(two)
        two.member_id = ""
        two.join("comes back as follower")
        describe(talk, f"the follower is back, v{version}", group)
        everything(old)
        old.join("joins again")
        two.heartbeat("beats before it syncs")
        two.sync(title="syncs when it is back")
        one.heartbeat("beats when the other is back")
        old = zombie_of(one)
        one.member_id = ""
        one.join("comes back as leader")
        describe(talk, f"the leader is back, v{version}", group)
        everything(old)
        one.sync(title="syncs when it is back")
        one.heartbeat("beats when it is back")
        describe(talk, f"all are back, v{version}", group)
        pending = one.begin_join("joins again as leader with its id")
        await_state(talk, group, "PreparingRebalance")
        two.join("joins too")
        one.finish_join(pending)
        describe(talk, f"the leader joined again, v{version}", group)


@scenario(transactional=True, presets=WITH_STATIC_MEMBERS)
def static_members_come_back_with_other_wants(talk: Talk) -> None:
    for version in talk.versions(ApiKey.JOIN_GROUP):
        if version < STATIC_FROM:
            continue
        group = f"static-other-v{version}"
        both = [("range", b"range of all"), ("robin", b"robin of all")]
        one, two = fixed_group(talk, group, version, protocols=both)
        two.member_id = ""
        two.protocols = [("range", b"other range of b"), ("robin", b"robin of all")]
        two.join("comes back with other wants")
        describe(talk, f"the follower is back, v{version}", group)
        two.member_id = ""
        two.protocols = [("robin", b"robin of all")]
        pending = two.begin_join("comes back without what was chosen")
        let_arrive(talk)
        one.heartbeat()
        if is_rebalancing(talk, group):
            one.join("joins again")
        two.finish_join(pending)
        describe(talk, f"the follower is back again, v{version}", group)
        one.member_id = ""
        one.protocols = [("other", b"z")]
        one.ask("comes back with a protocol of its own", one.join_request())
        one.protocols = [("robin", b"z"), ("other", b"z")]
        pending = one.begin_join("comes back with another one too")
        let_arrive(talk)
        if is_rebalancing(talk, group):
            two.join("joins too")
        one.finish_join(pending)
        describe(talk, f"another leader, v{version}", group)


def strangers_of(client: Client, instance_id: str) -> None:
    """Send every request with an instance id, with an unknown member id and with a valid one."""
    for member_id in (NOBODY, client.member_id):
        stranger = zombie_of(client)
        stranger.instance_id, stranger.member_id = instance_id, member_id
        shown = client.name if member_id != NOBODY else member_id
        stranger.name = f"{instance_id} under the id of {shown}"
        everything(stranger)
        stranger.ask("beats in generation 99", stranger.heartbeat_request(generation=99))
        odd = stranger.commit_request(("topic", 0, 1), generation=99)
        stranger.ask("commits in generation 99", odd)
        if member_id == NOBODY or instance_id != client.instance_id:
            stranger.ask("joins", stranger.join_request())


@scenario(transactional=True, presets=WITH_STATIC_MEMBERS)
def static_members_are_refused(talk: Talk) -> None:
    talk.topic("topic")
    for version in talk.versions(ApiKey.JOIN_GROUP):
        if version < STATIC_FROM:
            continue
        group = f"static-refused-v{version}"
        await_group(talk, f"{group}-missing")
        one, two = fixed_group(talk, group, version)
        for instance_id in ("i-a", "i-b", "i-none", ""):
            strangers_of(one, instance_id)
        missing = fixed(talk, f"{group}-missing", "m", version)
        missing.member_id = NOBODY
        everything(missing)
        missing.ask("joins", missing.join_request())
        dynamic = zombie_of(one)
        dynamic.name, dynamic.instance_id = "a without its instance id", None
        everything(dynamic)
        pending = dynamic.begin_join()
        let_arrive(talk)
        if is_rebalancing(talk, group):
            two.join("joins too")
        dynamic.finish_join(pending)
        describe(talk, f"after it, v{version}", group)


@scenario(transactional=True, presets=WITH_STATIC_MEMBERS)
def a_static_member_is_replaced_while_it_waits(talk: Talk) -> None:
    for version in talk.versions(ApiKey.JOIN_GROUP):
        if version < STATIC_FROM:
            continue
        group = f"static-waits-v{version}"
        one, two = fixed_group(talk, group, version)
        three = Client(talk=talk, group=group, name="c", versions=one.versions)
        newcomer = three.begin_join()
        await_state(talk, group, "PreparingRebalance", members=3)
        old = zombie_of(two)
        waiting = old.begin_join("joins again")
        let_arrive(talk)
        two.member_id = ""
        two.name = "new b"
        two.protocols = [("range", b"wants of b")]
        again = two.begin_join("comes back")
        old.finish_join(waiting)
        describe(talk, f"one was replaced, v{version}", group)
        one.join("joins again")
        two.finish_join(again)
        three.finish_join(newcomer)
        waiting = two.begin("syncs", two.sync_request())
        let_arrive(talk)
        latest = fixed(talk, group, "b", version)
        latest.name = "newest b"
        latest.protocols = [("range", b"wants of b")]
        pending = latest.begin_join("comes back before the sync")
        talk.finish(waiting)
        let_arrive(talk)
        if is_rebalancing(talk, group):
            joins = [(each, each.begin_join("joins once more")) for each in (one, three)]
            for each, again in joins:
                each.finish_join(again)
        latest.finish_join(pending)
        describe(talk, f"replaced before the sync, v{version}", group)


@scenario(transactional=True, presets=defaults_since("2.4"))
def static_members_leave(talk: Talk) -> None:
    group = "static-leave"
    newest = talk.latest(ApiKey.JOIN_GROUP)
    one, two = fixed_group(talk, group, newest)
    anonymous = zombie_of(two)
    anonymous.member_id = ""
    anonymous.leave("leaves by its instance id")
    describe(talk, "one left", group)
    two.heartbeat()
    one.heartbeat()
    one.join("joins alone")
    one.sync(one)
    stranger = zombie_of(one)
    stranger.member_id = NOBODY
    stranger.leave("leaves under another id")
    one.leave("leaves with both")
    describe(talk, "all left", group)
    one.heartbeat()
    one.member_id = ""
    one.join("comes back")
    describe(talk, "back again", group)


@scenario(transactional=True, presets=WITH_STATIC_MEMBERS)
def instance_ids_of_every_length(talk: Talk) -> None:
    version = talk.latest(ApiKey.JOIN_GROUP)
    group = "instance-ids"
    await_group(talk, group)
    for title, instance_id in {
        "empty": "",
        "a dot": ".",
        "a blank": "a b",
        "249 characters": "x" * 249,
        "250 characters": "x" * 250,
    }.items():
        one = fixed(talk, f"{group}-{title.replace(' ', '-')}", title, version)
        await_group(talk, one.group)
        one.instance_id = instance_id
        one.join()
        describe(talk, title, one.group)
