"""JoinGroup: first members, second members, and all refusals."""

from itertools import combinations

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.join_group import JoinGroupRequest, JoinGroupResponse
from tests.conformance.groups import (
    ID_REQUIRED_FROM,
    NOBODY,
    Client,
    await_group,
    await_state,
    describe,
    let_arrive,
    stable_group,
)
from tests.conformance.releases import defaults_since
from tests.conformance.script import scenario
from tests.conformance.talk import Talk

ASSIGNORS = ("range", "roundrobin", "sticky", "cooperative-sticky")
SMALL = {"group.max.size": "2"}


@scenario(transactional=True)
def join_in_every_version(talk: Talk) -> None:
    for version in talk.versions(ApiKey.JOIN_GROUP):
        group = f"join-v{version}"
        await_group(talk, group)
        one = Client(talk=talk, group=group, versions={ApiKey.JOIN_GROUP: version})
        one.join()
        describe(talk, f"joined, v{version}", group)
        one.join("joins again before it syncs")
        one.sync(one)
        describe(talk, f"synced, v{version}", group)
        one.join("joins again as leader")
        describe(talk, f"joined again, v{version}", group)
        one.sync(one)
        one.heartbeat()
        one.leave()
        describe(talk, f"left, v{version}", group)
        one.join("joins under its old id")
        other = Client(talk=talk, group=group, versions={ApiKey.JOIN_GROUP: version})
        other.join("joins an empty group")
        other.sync(other)
        describe(talk, f"anew, v{version}", group)
        other.leave()


@scenario(transactional=True)
def two_members_join_in_every_version(talk: Talk) -> None:
    for version in talk.versions(ApiKey.JOIN_GROUP):
        group = f"join-two-v{version}"
        await_group(talk, group)
        versions = {ApiKey.JOIN_GROUP: version}
        one = Client(talk=talk, group=group, versions=versions)
        two = Client(talk=talk, group=group, name="b", versions=versions)
        one.join()
        one.sync(one)
        pending = two.begin_join()
        await_state(talk, group, "PreparingRebalance", members=2)
        describe(talk, f"one waits, v{version}", group)
        one.heartbeat("beats while another waits")
        one.sync(one, title="syncs while another waits")
        one.join("joins again")
        two.finish_join(pending)
        describe(talk, f"both joined, v{version}", group)
        one.heartbeat("beats before it syncs")
        waiting = two.begin("syncs", two.sync_request())
        one.sync(one, two)
        talk.finish(waiting)
        describe(talk, f"both synced, v{version}", group)
        one.heartbeat()
        two.heartbeat()
        two.join("joins again as follower")
        two.protocols = [("range", b"other wants of b")]
        pending = two.begin_join("joins with other wants")
        await_state(talk, group, "PreparingRebalance")
        one.join("joins with the same wants")
        two.finish_join(pending)
        waiting = two.begin("syncs again", two.sync_request())
        one.sync(one, two, title="syncs again")
        talk.finish(waiting)
        one.leave("leaves as leader")
        two.heartbeat("beats when the leader is gone")
        two.join("joins alone")
        two.sync(two, title="leads")
        two.leave()


def every_refusal(talk: Talk, group: str, version: int) -> None:
    """Join one group with every invalid request."""
    title_of = f"{{}}, v{version}"

    def join(title: str, request: JoinGroupRequest) -> None:
        talk.ask_patiently(title_of.format(title), request, version)

    member = Client(talk=talk, group=group, versions={ApiKey.JOIN_GROUP: version})
    join("a stranger", member.join_request(member_id=NOBODY))
    for title, protocols, protocol_type in [
        ("no protocols", [], "consumer"),
        ("no type", [("range", b"x")], ""),
        ("another type", [("range", b"x")], "connect"),
        ("other protocols", [("other", b"x")], "consumer"),
        ("a protocol twice", [("range", b"x"), ("range", b"y")], "consumer"),
        ("an empty protocol", [("", b"x")], "consumer"),
    ]:
        odd = Client(talk=talk, group=group, protocol_type=protocol_type, protocols=protocols)
        request = odd.join_request()
        if not protocols:
            request.protocols = []
        if title != "a protocol twice":
            join(title, request)
        request.member_id = NOBODY
        join(f"{title}, a stranger", request)
    for timeout_ms in (5_999, 1_800_001, 0, -1):
        member.session_timeout_ms = timeout_ms
        join(f"session timeout {timeout_ms}", member.join_request())
        join(f"session timeout {timeout_ms}, a stranger", member.join_request(member_id=NOBODY))


@scenario(transactional=True)
def join_refusals(talk: Talk) -> None:
    for version in talk.versions(ApiKey.JOIN_GROUP):
        await_group(talk, f"refused-v{version}", f"refused-stable-v{version}")
        await_group(talk, f"refused-empty-v{version}")
        missing = f"refused-missing-v{version}"
        for group, member_id in [("", ""), ("", NOBODY), (missing, NOBODY)]:
            request = Client(talk=talk, group=group).join_request(member_id=member_id)
            title = f"{group or 'no group'}, {member_id or 'no member'}, v{version}"
            talk.ask_patiently(title, request, version)
            request.session_timeout_ms = 1
            talk.ask_patiently(f"{title}, no session", request, version)
        stable_group(Client(talk=talk, group=f"refused-stable-v{version}"))
        empty = Client(talk=talk, group=f"refused-empty-v{version}")
        stable_group(empty)
        empty.leave()
        if version >= ID_REQUIRED_FROM:
            every_refusal(talk, f"refused-v{version}", version)
            every_refusal(talk, f"refused-empty-v{version}", version)
            every_refusal(talk, f"refused-stable-v{version}", version)
        describe(talk, f"after it, v{version}", f"refused-stable-v{version}")


@scenario(transactional=True)
def refused_joins_before_ids_were_required(talk: Talk) -> None:
    # Nothing stands between a join and a group here: only what is refused leaves it as it is.
    for version in range(ID_REQUIRED_FROM):
        if version not in talk.versions(ApiKey.JOIN_GROUP):
            continue
        group = f"refused-early-v{version}"
        await_group(talk, group)
        one = Client(talk=talk, group=group, versions={ApiKey.JOIN_GROUP: version})
        stable_group(one)
        changes: list[tuple[str, str, object]] = [
            ("no protocols", "protocols", []),
            ("no type", "protocol_type", ""),
            ("another type", "protocol_type", "connect"),
            ("a stranger", "member_id", NOBODY),
            ("a short session", "session_timeout_ms", 5_999),
            ("a long session", "session_timeout_ms", 1_800_001),
        ]
        for title, name, value in changes:
            request = one.join_request(member_id="")
            setattr(request, name, value)
            talk.ask_patiently(f"{title}, v{version}", request, version)
            request.member_id = one.member_id
            if title != "a stranger":
                talk.ask_patiently(f"{title}, as the member, v{version}", request, version)
        other = one.join_request(member_id="")
        other.protocols[0].name = "other"
        talk.ask_patiently(f"other protocols, v{version}", other, version)
        describe(talk, f"after it, v{version}", group)


@scenario(transactional=True)
def a_protocol_is_chosen(talk: Talk) -> None:
    group = "chosen"
    await_group(talk, group)
    wants = {
        "a": [("sticky", b"sa"), ("range", b"ra"), ("robin", b"oa")],
        "b": [("sticky", b"sb"), ("robin", b"ob"), ("range", b"rb")],
        "c": [("robin", b"oc"), ("range", b"rc")],
    }
    one, two, three = (
        Client(talk=talk, group=group, name=name, protocols=protocols)
        for name, protocols in wants.items()
    )
    one.join()
    describe(talk, "one", group)
    pending = two.begin_join()
    await_state(talk, group, "PreparingRebalance", members=2)
    one.join("joins again")
    two.finish_join(pending)
    describe(talk, "two", group)
    pending = three.begin_join()
    await_state(talk, group, "PreparingRebalance", members=3)
    again = two.begin_join("joins again")
    one.join("joins again")
    two.finish_join(again)
    three.finish_join(pending)
    describe(talk, "three", group)
    waiting = [each.begin("syncs", each.sync_request()) for each in (two, three)]
    one.sync(one, two, three)
    for each in waiting:
        talk.finish(each)
    describe(talk, "three, synced", group)
    odd = Client(talk=talk, group=group, name="d", protocols=[("sticky", b"sd")])
    odd.ask("joins with what only some have", odd.join_request())
    one.protocols = [("sticky", b"sa")]
    one.ask("wants what only some have", one.join_request())
    describe(talk, "after it", group)


@scenario(transactional=True)
def a_protocol_is_chosen_by_equal_votes(talk: Talk) -> None:
    for first, second in combinations(ASSIGNORS, 2):
        group = f"equal-{first}-{second}"
        await_group(talk, group)
        one = Client(talk=talk, group=group, protocols=[(first, b"1"), (second, b"2")])
        two = Client(talk=talk, group=group, name="b", protocols=[(second, b"3"), (first, b"4")])
        one.join()
        pending = two.begin_join()
        await_state(talk, group, "PreparingRebalance", members=2)
        one.join("joins again")
        two.finish_join(pending)


@scenario(transactional=True)
def a_third_joins_before_the_second_syncs(talk: Talk) -> None:
    group = "third"
    await_group(talk, group)
    one, two, three = (Client(talk=talk, group=group, name=name) for name in "abc")
    one.join()
    pending = two.begin_join()
    await_state(talk, group, "PreparingRebalance", members=2)
    one.sync(one, title="syncs too late")
    one.join("joins again")
    two.finish_join(pending)
    waiting = two.begin("syncs", two.sync_request())
    pending = three.begin_join()
    await_state(talk, group, "PreparingRebalance", members=3)
    talk.finish(waiting)
    describe(talk, "three", group)
    two.leave("leaves while it is awaited")
    one.join("joins once more")
    three.finish_join(pending)
    describe(talk, "two left", group)
    one.sync(one, three, title="syncs at last")
    three.sync(title="syncs after the leader")
    describe(talk, "synced", group)


@scenario(transactional=True)
def a_member_joins_twice_at_once(talk: Talk) -> None:
    group = "twice"
    await_group(talk, group)
    one = Client(talk=talk, group=group)
    two = Client(talk=talk, group=group, name="b")
    one.join()
    one.sync(one)
    two.begin_join()
    await_state(talk, group, "PreparingRebalance", members=2)
    if two.member_id:
        # It hangs up without waiting for the answer, and asks again under its id.
        two.name, two.protocols = "b again", [("range", b"wants of b")]
        pending = two.begin_join("joins once more")
        let_arrive(talk)
        one.join("joins again")
        two.finish_join(pending)
        two.heartbeat()
    describe(talk, "after it", group)


@scenario(transactional=True, presets=defaults_since("2.3"))
def ids_that_are_given_out(talk: Talk) -> None:
    talk.topic("topic")
    for version in talk.versions(ApiKey.JOIN_GROUP):
        if version < ID_REQUIRED_FROM:
            continue
        group = f"ids-v{version}"
        await_group(talk, group)
        versions = {ApiKey.JOIN_GROUP: version}
        one, two, three = (
            Client(talk=talk, group=group, name=name, versions=versions) for name in "abc"
        )
        one.get_id()
        describe(talk, f"an id is given, v{version}", group)
        one.heartbeat("beats before it joins")
        one.generation = 0
        one.heartbeat("beats before it joins, in generation 0")
        one.sync(one, title="syncs before it joins")
        one.join()
        one.sync(one)
        two.get_id()
        describe(talk, f"another id is given, v{version}", group)
        two.generation = one.generation
        two.heartbeat("beats before it joins")
        two.sync(title="syncs before it joins")
        two.commit(("topic", 0, 1), title="commits before it joins")
        two.leave("leaves before it joins")
        two.join("joins after it left")
        two.member_id = ""
        two.get_id("gets another id")
        pending = two.begin_join()
        await_state(talk, group, "PreparingRebalance", members=2)
        three.get_id("gets an id while others rebalance")
        again = one.begin_join("joins again")
        describe(talk, f"one is awaited, v{version}", group)
        three.leave("leaves without ever joining")
        one.finish_join(again)
        two.finish_join(pending)


@scenario(transactional=True, settings=SMALL, presets=defaults_since("2.3"))
def a_group_is_full(talk: Talk) -> None:
    group = "full"
    await_group(talk, group)
    one, two, three = (
        Client(talk=talk, group=group, name=name, rebalance_timeout_ms=2_000) for name in "abc"
    )
    stable_group(one, two)
    three.ask("joins", three.join_request())
    fixed = Client(talk=talk, group=group, name="static", instance_id="i")
    if talk.latest(ApiKey.JOIN_GROUP) >= 5:
        fixed.ask("joins", fixed.join_request())
    old = Client(talk=talk, group=group, name="old", versions={ApiKey.JOIN_GROUP: 3})
    old.ask("joins", old.join_request())
    describe(talk, "full", group)
    pending = one.begin_join("joins again")
    await_state(talk, group, "PreparingRebalance")
    answer = three.ask("asks for an id while others wait", three.join_request())
    three.member_id = talk.expect(JoinGroupResponse, answer).member_id
    if three.member_id:
        waiting = three.begin("joins while others wait", three.join_request())
        let_arrive(talk)
        two.ask("joins too late", two.join_request())
        describe(talk, "another is too late", group)
        two.heartbeat()
        two.leave()
        talk.let_time_pass(2_500)
        one.finish_join(pending)
        three.finish_join(waiting)
    else:
        two.join("joins again")
        one.finish_join(pending)
        two.leave()
        three.ask("joins when another has left", three.join_request())
    describe(talk, "one has left", group)


@scenario(transactional=True, settings=SMALL, presets=defaults_since("2.3"))
def ids_of_a_group_that_is_full(talk: Talk) -> None:
    group = "full-of-ids"
    await_group(talk, group)
    clients = [Client(talk=talk, group=group, name=name) for name in "abcd"]
    for each in clients:
        each.ask("gets an id", each.join_request())
    describe(talk, "ids are given", group)


@scenario(transactional=True, presets=defaults_since("3.6"))
def reasons_to_join_and_to_leave(talk: Talk) -> None:
    group = "reasons"
    await_group(talk, group)
    one = Client(talk=talk, group=group, reason="because")
    one.join()
    one.sync(one)
    one.reason = "x" * 300
    one.join("joins again, with a long reason")
    one.ask("leaves", one.leave_request(reason="x" * 300))
