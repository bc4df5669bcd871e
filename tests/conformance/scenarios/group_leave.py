"""LeaveGroup: one member, several members, and unknown members."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from tests.conformance.groups import (
    NOBODY,
    Client,
    await_group,
    await_state,
    describe,
    is_rebalancing,
    let_arrive,
    stable_group,
)
from tests.conformance.releases import CONSUMERS_OF_3_9, GENERATIONS, defaults_since
from tests.conformance.script import scenario
from tests.conformance.talk import Talk

BATCHED_FROM = 3
"""The version of LeaveGroup from which one request has several members (KIP-345)."""


@scenario(transactional=True, presets=(*GENERATIONS, CONSUMERS_OF_3_9))
def leave_in_every_version(talk: Talk) -> None:
    for version in talk.versions(ApiKey.LEAVE_GROUP):
        group = f"leave-v{version}"
        await_group(talk, group, "", f"{group}-missing")
        versions = {ApiKey.LEAVE_GROUP: version}
        stranger = Client(talk=talk, group="", name="stranger", versions=versions)
        for name in ("", f"{group}-missing"):
            stranger.group = name
            for member_id in ("", NOBODY):
                stranger.member_id = member_id
                stranger.leave(f"leaves {name or 'nothing'} as {member_id or 'nobody at all'}")
        one = Client(talk=talk, group=group, versions=versions)
        two = Client(talk=talk, group=group, name="b", versions=versions)
        stable_group(one, two)
        stranger.group = group
        stranger.leave("leaves a stable group")
        stranger.member_id = ""
        stranger.leave("leaves a stable group, without an id")
        two.leave()
        two.leave("leaves again")
        describe(talk, f"one left, v{version}", group)
        one.heartbeat()
        one.leave("leaves as the last one")
        describe(talk, f"all left, v{version}", group)
        one.leave("leaves again")
        stranger.leave("leaves an empty group, without an id")
        stranger.member_id = NOBODY
        stranger.leave("leaves an empty group")


@scenario(transactional=True)
def the_last_one_leaves_before_it_syncs(talk: Talk) -> None:
    group = "last"
    await_group(talk, group)
    one = Client(talk=talk, group=group)
    one.join()
    one.leave()
    describe(talk, "left", group)
    one.sync(one)
    one.heartbeat()


@scenario(transactional=True)
def a_member_leaves_while_another_waits(talk: Talk) -> None:
    group = "leaving"
    await_group(talk, group)
    one, two, three = (Client(talk=talk, group=group, name=name) for name in "abc")
    stable_group(one, two)
    pending = three.begin_join()
    await_state(talk, group, "PreparingRebalance", members=3)
    again = one.begin_join("joins again")
    two.leave("leaves while the others wait")
    one.finish_join(again)
    three.finish_join(pending)
    describe(talk, "a follower left", group)
    three.leave("leaves before it syncs")
    describe(talk, "another left", group)
    one.join("joins alone")
    one.sync(one)


@scenario(transactional=True)
def a_waiting_member_leaves(talk: Talk) -> None:
    group = "waiting"
    await_group(talk, group)
    one = Client(talk=talk, group=group)
    two = Client(talk=talk, group=group, name="b")
    one.join()
    one.sync(one)
    pending = two.begin_join()
    await_state(talk, group, "PreparingRebalance", members=2)
    if two.member_id:
        request = LeaveGroupRequest(
            group_id=group,
            member_id=two.member_id,
            members=[MemberIdentity(member_id=two.member_id)],
        )
        talk.ask("leaves elsewhere", request, talk.latest(ApiKey.LEAVE_GROUP))
        two.finish_join(pending)
        describe(talk, "left", group)
        one.join("joins again")
        one.sync(one)
        describe(talk, "alone", group)


@scenario(transactional=True, presets=defaults_since("2.4"))
def several_leave_at_once(talk: Talk) -> None:
    for version in talk.versions(ApiKey.LEAVE_GROUP):
        if version < BATCHED_FROM:
            continue
        group = f"leave-batch-v{version}"
        await_group(talk, group)
        one, two, three = (Client(talk=talk, group=group, name=name) for name in "abc")
        stable_group(one, two, three)

        def leave(
            title: str, *members: tuple[str, str | None], group: str = group, version: int = version
        ) -> None:
            request = LeaveGroupRequest(
                group_id=group,
                members=[
                    MemberIdentity(member_id=member_id, group_instance_id=instance_id)
                    for member_id, instance_id in members
                ],
            )
            talk.ask(f"{title}, v{version}", request, version)

        leave("nobody at all")
        leave("strangers", (NOBODY, None), ("", None), (NOBODY, "i"), ("", "i"))
        leave("a member and strangers", (NOBODY, None), (two.member_id, None), ("", "i"))
        leave("a member twice", (three.member_id, None), (three.member_id, None))
        leave("a member under an instance id that it has not", (one.member_id, "i"))
        describe(talk, f"one is left, v{version}", group)
        fixed = Client(talk=talk, group=group, name="s", instance_id="s")
        pending = fixed.begin_join()
        let_arrive(talk)
        if is_rebalancing(talk, group):
            one.join("joins again")
        fixed.finish_join(pending)
        leave("another's instance id", (one.member_id, "s"), (NOBODY, "s"))
        leave("a static member under its id only", (fixed.member_id, None))
        leave("again by its instance id", ("", "s"))
        fixed.member_id = ""
        pending = fixed.begin_join("joins once more")
        let_arrive(talk)
        leave("by its instance id while it waits", ("", "s"))
        fixed.finish_join(pending)
        describe(talk, f"the static one left, v{version}", group)
        leave("all others, and one that is none", (one.member_id, None), (NOBODY, None))
        describe(talk, f"all left, v{version}", group)
        leave("strangers of an empty group", (NOBODY, None), ("", "s"))
        leave("nobody of an empty group")
