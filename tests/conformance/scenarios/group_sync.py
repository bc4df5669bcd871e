"""SyncGroup and Heartbeat, in every version and every state of a group."""

from mockbroker.protocol.api_keys import ApiKey
from tests.conformance.groups import NOBODY, Client, await_group, await_state, describe
from tests.conformance.script import scenario
from tests.conformance.talk import Talk

NAMES_FROM = 5
"""The version of SyncGroup from which requests name the protocol (KIP-559)."""


@scenario(transactional=True)
def sync_in_every_version(talk: Talk) -> None:
    for version in talk.versions(ApiKey.SYNC_GROUP):
        group = f"sync-v{version}"
        await_group(talk, group, "")
        versions = {ApiKey.SYNC_GROUP: version}
        one = Client(talk=talk, group=group, versions=versions)
        two = Client(talk=talk, group=group, name="b", versions=versions)
        one.member_id = NOBODY
        one.sync(one, title="syncs where there is no group")
        one.group = ""
        one.sync(one, title="syncs without a group")
        one.group, one.member_id = group, ""
        one.join()
        if version >= NAMES_FROM:
            for names in [
                ("connect", "range"),
                ("consumer", "sticky"),
                ("", ""),
                (None, "range"),
                (None, None),
            ]:
                one.ask(f"syncs with {names}", one.sync_request(one, names=names))
        one.sync(one)
        one.sync(one, title="syncs again")
        one.sync(title="syncs again, and assigns nothing")
        for generation in (one.generation - 1, one.generation + 1, -1):
            request = one.sync_request(generation=generation)
            one.ask(f"syncs in generation {generation}", request)
        stranger = Client(talk=talk, group=group, name="stranger", versions=versions)
        stranger.generation = one.generation
        stranger.sync(title="syncs without an id")
        stranger.member_id = NOBODY
        stranger.sync(title="syncs under another's id")
        if version >= NAMES_FROM:
            for names in [("connect", "range"), ("consumer", "sticky"), ("consumer", "range")]:
                one.ask(f"syncs when stable with {names}", one.sync_request(names=names))
        pending = two.begin_join()
        await_state(talk, group, "PreparingRebalance", members=2)
        one.sync(one, title="syncs while another waits")
        one.join("joins again")
        two.finish_join(pending)
        one.ask("syncs in the last generation", one.sync_request(generation=1))
        waiting = two.begin("syncs", two.sync_request())
        one.sync(one, title="syncs, and forgets the other")
        talk.finish(waiting)
        describe(talk, f"one is forgotten, v{version}", group)
        two.leave()
        one.sync(one, title="syncs when the other left")
        one.leave()
        one.sync(one, title="syncs when it left")


@scenario(transactional=True)
def a_follower_assigns(talk: Talk) -> None:
    group = "assigns"
    await_group(talk, group)
    one = Client(talk=talk, group=group)
    two = Client(talk=talk, group=group, name="b")
    stranger = Client(talk=talk, group=group, name="stranger", member_id=NOBODY)
    one.join()
    pending = two.begin_join()
    await_state(talk, group, "PreparingRebalance", members=2)
    one.join("joins again")
    two.finish_join(pending)
    waiting = two.begin("syncs as if it led", two.sync_request(two))
    one.sync(one, stranger, title="syncs, with a stranger")
    talk.finish(waiting)
    describe(talk, "synced", group)
    two.sync(two, title="syncs again as if it led")


@scenario(transactional=True)
def a_leader_leaves_before_it_syncs(talk: Talk) -> None:
    group = "leaderless"
    await_group(talk, group)
    one = Client(talk=talk, group=group)
    two = Client(talk=talk, group=group, name="b")
    one.join()
    pending = two.begin_join()
    await_state(talk, group, "PreparingRebalance", members=2)
    one.join("joins again")
    two.finish_join(pending)
    waiting = two.begin("syncs", two.sync_request())
    one.leave()
    talk.finish(waiting)
    describe(talk, "the leader left", group)
    two.heartbeat()
    two.join("joins again")
    describe(talk, "the other leads", group)


@scenario(transactional=True)
def heartbeats_in_every_version(talk: Talk) -> None:
    for version in talk.versions(ApiKey.HEARTBEAT):
        group = f"heartbeat-v{version}"
        await_group(talk, group, "")
        versions = {ApiKey.HEARTBEAT: version}
        one = Client(talk=talk, group=group, versions=versions, member_id=NOBODY)
        two = Client(talk=talk, group=group, name="b", versions=versions)

        def beats(state: str, one: Client = one) -> None:
            one.heartbeat(f"beats, {state}")
            for generation in (one.generation - 1, one.generation + 1, -1):
                request = one.heartbeat_request(generation=generation)
                one.ask(f"beats in generation {generation}, {state}", request)
            for member_id in ("", NOBODY):
                request = one.heartbeat_request(member_id=member_id)
                one.ask(f"beats as {member_id or 'nothing'}, {state}", request)
                request = one.heartbeat_request(member_id=member_id, generation=99)
                one.ask(f"beats as {member_id or 'nothing'} in generation 99, {state}", request)

        beats("no group")
        one.group = ""
        one.heartbeat("beats without a group")
        one.group, one.member_id = group, ""
        one.join()
        beats("joined")
        one.sync(one)
        beats("stable")
        pending = two.begin_join()
        await_state(talk, group, "PreparingRebalance", members=2)
        beats("another waits")
        one.join("joins again")
        two.finish_join(pending)
        beats("both joined")
        two.heartbeat("beats, both joined")
        one.leave()
        two.leave()
        beats("empty")
