"""Administration of groups: DescribeGroups, ListGroups and DeleteGroups."""

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.delete_groups import DeleteGroupsRequest
from mockbroker.protocol.messages.describe_groups import DescribeGroupsRequest
from mockbroker.protocol.messages.list_groups import ListGroupsRequest
from tests.conformance.groups import (
    Client,
    await_group,
    await_state,
    describe,
    stable_group,
)
from tests.conformance.releases import defaults_since
from tests.conformance.scenarios.group_offsets import offset_delete
from tests.conformance.scenarios.transactional_offsets import offset_fetch
from tests.conformance.script import scenario
from tests.conformance.steps import Pending
from tests.conformance.talk import Talk

STATES = ("Empty", "PreparingRebalance", "CompletingRebalance", "Stable", "Dead")


def groups_in_every_state(talk: Talk, prefix: str) -> tuple[list[str], Pending]:
    """Create a group in each state, and a simple one; one JoinGroup stays pending."""
    names = [f"{prefix}-{each}" for each in ("missing", "simple", "empty", "preparing")]
    names += [f"{prefix}-completing", f"{prefix}-stable"]
    await_group(talk, *names)
    _, simple, empty, preparing, completing, stable = (
        Client(talk=talk, group=name) for name in names
    )
    simple.commit(("topic", 0, 5))
    stable_group(empty)
    empty.leave()
    stable_group(preparing)
    pending = Client(talk=talk, group=preparing.group, name="b").begin_join()
    await_state(talk, preparing.group, "PreparingRebalance", members=2)
    completing.join()
    stable_group(stable)
    return names, pending


@scenario(transactional=True)
def groups_are_described(talk: Talk) -> None:
    talk.topic("topic")
    names, _ = groups_in_every_state(talk, "described")
    for version in talk.versions(ApiKey.DESCRIBE_GROUPS):
        for authorized in (False, True) if version >= 3 else (False,):
            how = ", with operations" if authorized else ""
            for name in names:
                request = DescribeGroupsRequest(
                    groups=[name], include_authorized_operations=authorized
                )
                talk.ask(f"{name}, v{version}{how}", request, version)
            request = DescribeGroupsRequest(
                groups=[names[1], names[0]], include_authorized_operations=authorized
            )
            talk.ask(f"several, v{version}{how}", request, version)
        talk.ask(f"none, v{version}", DescribeGroupsRequest(groups=[]), version)
        twice = DescribeGroupsRequest(groups=[names[-1], names[-1]])
        talk.ask(f"one twice, v{version}", twice, version)


@scenario(alone=True)
def groups_are_listed(talk: Talk) -> None:
    talk.topic("topic")
    for version in talk.versions(ApiKey.LIST_GROUPS):
        talk.ask(f"before there are any, v{version}", ListGroupsRequest(), version)
    groups_in_every_state(talk, "listed")
    workers = Client(talk=talk, group="listed-workers", protocol_type="connect")
    await_group(talk, workers.group)
    stable_group(workers)
    Client(talk=talk, group="listed-workers", name="b").ask(
        "asks for another type", Client(talk=talk, group="listed-workers").join_request()
    )
    only_id = Client(talk=talk, group="listed-id")
    await_group(talk, only_id.group)
    if only_id.needs_id():
        only_id.get_id()
    for version in talk.versions(ApiKey.LIST_GROUPS):
        talk.ask(f"all, v{version}", ListGroupsRequest(), version)
        if version >= 4:
            for states in (*((state,) for state in STATES), ("Stable", "Empty")):
                request = ListGroupsRequest(states_filter=list(states))
                talk.ask(f"{states}, v{version}", request, version)
            for state in ("stable", "STABLE", "", "Nonsense", "Assigning", " Stable"):
                request = ListGroupsRequest(states_filter=[state])
                talk.ask(f"state {state!r}, v{version}", request, version)
        if version >= 5:
            for kind in ("classic", "Classic", "consumer", "share", "streams", "", "nonsense"):
                request = ListGroupsRequest(types_filter=[kind])
                talk.ask(f"type {kind!r}, v{version}", request, version)
            for kinds in (["classic", "consumer"], ["classic", "nonsense"]):
                request = ListGroupsRequest(types_filter=kinds, states_filter=["Stable"])
                talk.ask(f"stable {kinds}, v{version}", request, version)


@scenario(transactional=True, presets=defaults_since("1.1"))
def groups_are_deleted(talk: Talk) -> None:
    talk.topic("topic")
    for version in talk.versions(ApiKey.DELETE_GROUPS):
        names, _ = groups_in_every_state(talk, f"deleted-v{version}")
        for name in (*names, names[1], names[2]):
            request = DeleteGroupsRequest(groups_names=[name])
            talk.ask(f"{name}, v{version}", request, version)
        describe(talk, f"what is left, v{version}", *names)
        several = DeleteGroupsRequest(groups_names=[names[-1], names[0]])
        talk.ask(f"several, v{version}", several, version)
        twice = DeleteGroupsRequest(groups_names=[names[-1], names[-1]])
        talk.ask(f"one twice, v{version}", twice, version)
        talk.ask(f"none, v{version}", DeleteGroupsRequest(groups_names=[]), version)
        again = Client(talk=talk, group=names[2], name="again")
        again.join("joins the group that was deleted")
        again.leave()
        talk.ask(f"again, v{version}", DeleteGroupsRequest(groups_names=[names[2]]), version)


@scenario(transactional=True, presets=defaults_since("1.1"))
def a_deleted_group_is_forgotten(talk: Talk) -> None:
    talk.topic("topic")
    group = "forgotten"
    await_group(talk, group)
    one = Client(talk=talk, group=group)
    stable_group(one)
    one.commit(("topic", 0, 5))
    one.leave()
    version = talk.latest(ApiKey.DELETE_GROUPS)
    talk.ask("delete", DeleteGroupsRequest(groups_names=[group]), version)
    one.heartbeat()
    one.sync(title="syncs")
    one.commit(("topic", 0, 6))
    one.leave()
    one.ask("joins under its old id", one.join_request())
    describe(talk, "afterwards", group)
    one.member_id, one.generation = "", -1
    one.commit(("topic", 0, 7), title="commits as nobody")
    describe(talk, "after a commit", group)
    one.join("joins anew")
    one.sync(one)
    describe(talk, "after a join", group)


@scenario(transactional=True)
def groups_that_only_gave_an_id(talk: Talk) -> None:
    group = "only-an-id"
    await_group(talk, group)
    one = Client(talk=talk, group=group)
    if not one.needs_id():
        return
    one.get_id()
    describe(talk, "an id", group)
    version = talk.latest(ApiKey.DELETE_GROUPS)
    talk.ask("delete", DeleteGroupsRequest(groups_names=[group]), version)
    describe(talk, "deleted", group)
    one.ask("joins with its id", one.join_request())


@scenario(alone=True)
def a_group_without_a_name(talk: Talk) -> None:
    talk.topic("topic")
    await_group(talk, "")
    for version in talk.versions(ApiKey.DESCRIBE_GROUPS):
        talk.ask(f"describe nothing, v{version}", DescribeGroupsRequest(groups=[""]), version)
    for version in talk.versions(ApiKey.DELETE_GROUPS):
        talk.ask(f"delete nothing, v{version}", DeleteGroupsRequest(groups_names=[""]), version)
    if talk.versions(ApiKey.OFFSET_DELETE):
        talk.ask("delete offsets of nothing", offset_delete("", ("topic", 0)), 0)
    nameless = Client(talk=talk, group="")
    for name in ("nothing", "an empty group"):
        for version in talk.versions(ApiKey.OFFSET_FETCH):
            if version > 0:
                asked = offset_fetch(talk, "", ("topic", 0))
                talk.ask(f"offsets of {name}, v{version}", asked, version)
        for version in talk.versions(ApiKey.OFFSET_COMMIT):
            nameless.versions = {ApiKey.OFFSET_COMMIT: version}
            nameless.commit(("topic", 0, 1), title=f"commits for {name}")
    describe(talk, "the empty name", "")
    newest = talk.latest(ApiKey.LIST_GROUPS)
    talk.ask("list", ListGroupsRequest(), newest)
    if talk.versions(ApiKey.OFFSET_DELETE):
        talk.ask("delete its offsets", offset_delete("", ("topic", 0)), 0)
    for version in talk.versions(ApiKey.DELETE_GROUPS):
        talk.ask(f"delete it, v{version}", DeleteGroupsRequest(groups_names=[""]), version)
