"""Records of groups in `__consumer_offsets`."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.delete_groups import DeleteGroupsRequest
from tests.conformance.groups import Client, await_group, await_state, stable_group
from tests.conformance.offsets_log import note_offsets_log
from tests.conformance.releases import defaults_since
from tests.conformance.scenarios.group_offsets import offset_delete
from tests.conformance.script import scenario
from tests.conformance.streams_groups import AT_ONCE, StreamsMember, simple
from tests.conformance.talk import Talk


def note_log(talk: Talk, title: str) -> None:
    """Record steps with all partitions."""
    for partition in range(3):
        note_offsets_log(talk, f"{title}, partition {partition}", partition)


@scenario(alone=True)
def the_log_of_a_group(talk: Talk) -> None:
    talk.topic("topic", partitions=2)
    group = "logged"
    await_group(talk, group)
    one = Client(talk=talk, group=group)
    two = Client(talk=talk, group=group, name="b", rebalance_timeout_ms=50_000)
    one.join()
    note_log(talk, "joined")
    one.sync(one)
    note_log(talk, "synced")
    one.commit(("topic", 0, 5))
    one.commit(("topic", 1, 6))
    pending = two.begin_join()
    await_state(talk, group, "PreparingRebalance", members=2)
    one.join("joins again")
    two.finish_join(pending)
    waiting = two.begin("syncs", two.sync_request())
    one.sync(one, two)
    talk.finish(waiting)
    note_log(talk, "rebalanced")
    two.leave()
    one.join("joins alone")
    one.sync(one)
    one.commit(("topic", 0, 7))
    one.leave()
    note_log(talk, "left")
    one.member_id, one.generation = "", -1
    one.commit(("topic", 0, 9), title="commits as nobody")
    one.join("joins anew")
    one.leave()
    note_log(talk, "left again")
    if not talk.versions(ApiKey.DELETE_GROUPS):
        return
    newest = talk.latest(ApiKey.DELETE_GROUPS)
    if talk.versions(ApiKey.OFFSET_DELETE):
        talk.ask("delete an offset", offset_delete(group, ("topic", 1), ("topic", 5)), 0)
    talk.ask("delete", DeleteGroupsRequest(groups_names=[group]), newest)
    note_log(talk, "deleted")


@scenario(alone=True)
def the_log_of_groups_of_every_kind(talk: Talk) -> None:
    talk.topic("topic")
    groups = [f"kind-{each}" for each in ("simple", "workers", "versions", "leaves", "unassigned")]
    await_group(talk, *groups)
    simple, workers, versions, leaves, unassigned = (
        Client(talk=talk, group=group) for group in groups
    )
    simple.commit(("topic", 0, 5))
    if talk.versions(ApiKey.DELETE_GROUPS):
        request = DeleteGroupsRequest(groups_names=[simple.group])
        talk.ask("delete a simple group", request, talk.latest(ApiKey.DELETE_GROUPS))
    workers.protocol_type = "connect"
    workers.protocols = [("compatible", b"c"), ("eager", b"e")]
    stable_group(workers)
    versions.versions = {ApiKey.JOIN_GROUP: 0, ApiKey.SYNC_GROUP: 0}
    stable_group(versions)
    leaves.join()
    leaves.leave()
    unassigned.join()
    unassigned.sync(title="syncs, and assigns nothing")
    unassigned.sync(unassigned, title="syncs again")
    note_log(talk, "all")


@scenario(alone=True, presets=defaults_since("2.3"))
def the_log_of_static_members(talk: Talk) -> None:
    group = "fixed"
    await_group(talk, group)
    one = Client(talk=talk, group=group, instance_id="i-a")
    two = Client(talk=talk, group=group, name="b", instance_id="i-b")
    stable_group(one, two)
    two.member_id = ""
    two.join("comes back")
    note_log(talk, "a follower is back")
    two.sync()
    one.member_id = ""
    one.join("comes back")
    one.sync(one, two)
    note_log(talk, "the leader is back")
    if talk.latest(ApiKey.LEAVE_GROUP) >= 3:
        two.leave()
        note_log(talk, "one left")


@scenario(alone=True, settings=AT_ONCE, presets=("4.4",))
def the_log_of_a_streams_group(talk: Talk) -> None:
    talk.topic("input", partitions=3)
    talk.topic("changelog", partitions=3)
    group = "st-logged"
    await_group(talk, group)
    topology = [simple("input", changelogs=["changelog"])]
    one, two = (
        StreamsMember(talk=talk, group=group, topology=topology, name=name, instance_id=instance_id)
        for name, instance_id in (("a", None), ("b", "i"))
    )
    one.endpoint, one.tags = ("host", 80), {"zone": "z"}
    one.join()
    one.beat("owns all", {"0": [0, 1, 2]})
    two.join()
    one.beat("is told")
    one.beat("has revoked", {"0": [0, 1]})
    two.beat("gets its share", {})
    note_log(talk, "shared")
    two.leave("goes away", -2)
    two.join("is back")
    two.leave()
    one.leave()
    note_log(talk, "left")
    talk.ask("delete", DeleteGroupsRequest(groups_names=[group]), 2)
    note_log(talk, "deleted")
