"""Timeouts of groups: sessions, rebalances, and expiring offsets."""

from mockbroker.protocol.api_keys import ApiKey
from tests.conformance.groups import (
    ID_REQUIRED_FROM,
    Client,
    await_group,
    await_state,
    describe,
    let_arrive,
    stable_group,
)
from tests.conformance.offsets_log import note_offsets_log
from tests.conformance.releases import defaults_since
from tests.conformance.scenarios.transactional_offsets import offset_fetch
from tests.conformance.script import scenario
from tests.conformance.talk import Talk

SHORT = {"group.min.session.timeout.ms": "100"}
DELAYED = {"group.initial.rebalance.delay.ms": "1500"}
EXPIRING = {"offsets.retention.check.interval.ms": "200"}
SESSION_MS = 2_000
"""A session timeout of which two thirds do not expire it even on a busy machine."""
TWO_THIRDS_MS = 1_300
LONGEST_MS = (1 << 63) - 1
"""A retention whose end is before the commit, as it wraps around."""
WITHOUT_ID = {ApiKey.JOIN_GROUP: 2}
"""A version without member ids in advance: some releases remove groups that only assigned an id."""
RETENTION_FROM, RETENTION_UNTIL = 2, 4
"""The versions of OffsetCommit with a retention time."""


def brief(talk: Talk, group: str, name: str, *, instance_id: str | None = None) -> Client:
    """Create a client whose session expires soon."""
    return Client(
        talk=talk, group=group, name=name, instance_id=instance_id, session_timeout_ms=SESSION_MS
    )


def patient(talk: Talk, group: str, name: str) -> Client:
    """Create a client with a long session and a short rebalance timeout."""
    return Client(talk=talk, group=group, name=name, rebalance_timeout_ms=SESSION_MS)


@scenario(transactional=True, settings=SHORT)
def a_session_ends(talk: Talk) -> None:
    group = "session"
    await_group(talk, group)
    one, two = brief(talk, group, "a"), brief(talk, group, "b")
    stable_group(one, two)
    for _ in range(2):
        talk.let_time_pass(TWO_THIRDS_MS)
        one.heartbeat()
    describe(talk, "one is gone", group)
    two.heartbeat("beats too late")
    two.sync(title="syncs too late")
    two.leave("leaves too late")
    two.ask("joins too late", two.join_request())
    one.join("joins alone")
    one.sync(one)
    talk.let_time_pass(2 * SESSION_MS)
    describe(talk, "both are gone", group)
    one.heartbeat("beats too late")
    one.member_id = ""
    one.join("joins anew")


@scenario(transactional=True, settings=SHORT)
def what_keeps_a_session(talk: Talk) -> None:
    talk.topic("topic")
    group = "session-kept"
    await_group(talk, group)
    one = brief(talk, group, "a")
    stable_group(one)
    for title in ("first", "second", "third"):
        talk.let_time_pass(TWO_THIRDS_MS)
        one.commit(("topic", 0, 5), title=f"commits, {title}")
    for title in ("first", "second", "third"):
        talk.let_time_pass(TWO_THIRDS_MS)
        one.sync(title=f"syncs, {title}")
    talk.let_time_pass(TWO_THIRDS_MS)
    request = one.heartbeat_request(generation=99)
    one.ask("beats in another generation", request)
    talk.let_time_pass(TWO_THIRDS_MS)
    one.heartbeat("beats in its own")


@scenario(transactional=True, settings=SHORT)
def a_member_does_not_join_again(talk: Talk) -> None:
    group = "not-again"
    await_group(talk, group)
    one, two = patient(talk, group, "a"), patient(talk, group, "b")
    one.join()
    one.sync(one)
    pending = two.begin_join()
    await_state(talk, group, "PreparingRebalance", members=2)
    one.heartbeat()
    talk.let_time_pass(SESSION_MS + 500)
    two.finish_join(pending)
    describe(talk, "the other is alone", group)
    one.heartbeat("beats too late")
    one.ask("joins too late", one.join_request())
    two.sync(two)
    two.heartbeat()


@scenario(transactional=True, settings=SHORT)
def a_session_ends_in_a_rebalance(talk: Talk) -> None:
    group = "ends-in-rebalance"
    await_group(talk, group)
    one = brief(talk, group, "a")
    two = brief(talk, group, "b")
    one.join()
    one.sync(one)
    pending = two.begin_join()
    await_state(talk, group, "PreparingRebalance", members=2)
    talk.let_time_pass(SESSION_MS + 500)
    two.finish_join(pending)
    describe(talk, "the other is alone", group)
    one.heartbeat("beats too late")


@scenario(transactional=True, settings=SHORT)
def who_waits_for_others_stays(talk: Talk) -> None:
    group = "stays"
    await_group(talk, group)
    one = Client(talk=talk, group=group)
    two = brief(talk, group, "b")
    one.join()
    one.sync(one)
    pending = two.begin_join()
    await_state(talk, group, "PreparingRebalance", members=2)
    for _ in range(3):
        talk.let_time_pass(TWO_THIRDS_MS)
        one.heartbeat()
    one.join("joins at last")
    two.finish_join(pending)
    waiting = two.begin("syncs", two.sync_request())
    for _ in range(3):
        talk.let_time_pass(TWO_THIRDS_MS)
        one.heartbeat("beats without a sync")
    describe(talk, "one waits for the sync", group)
    one.sync(one, two)
    talk.finish(waiting)


@scenario(transactional=True, settings=SHORT)
def a_leader_never_syncs(talk: Talk) -> None:
    group = "never-syncs"
    await_group(talk, group)
    one, two = patient(talk, group, "a"), patient(talk, group, "b")
    one.join()
    pending = two.begin_join()
    await_state(talk, group, "PreparingRebalance", members=2)
    one.join("joins again")
    two.finish_join(pending)
    waiting = two.begin("syncs", two.sync_request())
    let_arrive(talk)
    talk.let_time_pass(SESSION_MS + 500)
    one.heartbeat("beats without a sync")
    one.sync(one, two, title="syncs late")
    talk.finish(waiting)
    describe(talk, "after it", group)


@scenario(transactional=True, settings=SHORT)
def a_follower_never_syncs(talk: Talk) -> None:
    group = "follower-never-syncs"
    await_group(talk, group)
    one, two = patient(talk, group, "a"), patient(talk, group, "b")
    one.join()
    pending = two.begin_join()
    await_state(talk, group, "PreparingRebalance", members=2)
    one.join("joins again")
    two.finish_join(pending)
    one.sync(one, two)
    talk.let_time_pass(SESSION_MS + 500)
    describe(talk, "one did not sync", group)
    one.heartbeat()
    two.heartbeat()
    two.sync(title="syncs late")


@scenario(transactional=True, settings=SHORT, presets=defaults_since("2.3"))
def ids_that_nobody_comes_back_with(talk: Talk) -> None:
    group = "ids-expire"
    await_group(talk, group)
    one, two, three = (brief(talk, group, name) for name in "abc")
    one.session_timeout_ms = 30_000
    one.get_id()
    talk.let_time_pass(SESSION_MS + 500)
    one.join()
    one.sync(one)
    two.get_id()
    talk.let_time_pass(SESSION_MS + 500)
    two.ask("joins too late", two.join_request())
    two.member_id = ""
    two.get_id("gets another id")
    pending = two.begin_join()
    three.get_id()
    again = one.begin_join("joins again")
    let_arrive(talk)
    describe(talk, "an id holds it up", group)
    talk.let_time_pass(SESSION_MS + 500)
    one.finish_join(again)
    two.finish_join(pending)
    describe(talk, "without the id", group)


@scenario(transactional=True, settings=SHORT, presets=defaults_since("2.3"))
def sessions_of_static_members(talk: Talk) -> None:
    if talk.latest(ApiKey.JOIN_GROUP) <= ID_REQUIRED_FROM:
        return
    group = "static-session"
    await_group(talk, group)
    one = brief(talk, group, "a", instance_id="i-a")
    two = brief(talk, group, "b", instance_id="i-b")
    stable_group(one, two)
    talk.let_time_pass(TWO_THIRDS_MS)
    one.heartbeat()
    two.member_id = ""
    two.join("comes back in time")
    talk.let_time_pass(TWO_THIRDS_MS)
    one.heartbeat("beats when the other is back")
    talk.let_time_pass(TWO_THIRDS_MS)
    one.heartbeat("beats when the other is late")
    describe(talk, "the other is gone", group)
    two.heartbeat("beats too late")
    two.member_id = ""
    pending = two.begin_join("comes back too late")
    await_state(talk, group, "PreparingRebalance", members=2)
    one.join("joins again")
    two.finish_join(pending)


@scenario(transactional=True, settings=DELAYED)
def a_rebalance_that_waits_for_others(talk: Talk) -> None:
    group = "delayed"
    await_group(talk, group)
    one, two, three = (Client(talk=talk, group=group, name=name) for name in "abc")
    waiting = [(one, one.begin_join())]
    await_state(talk, group, "PreparingRebalance", members=1)
    waiting.append((two, two.begin_join()))
    await_state(talk, group, "PreparingRebalance", members=2)
    talk.let_time_pass(1_000)
    waiting.append((three, three.begin_join()))
    await_state(talk, group, "PreparingRebalance", members=3)
    talk.let_time_pass(1_000)
    if three.member_id:
        describe(talk, "another one came in between", group)
    talk.let_time_pass(1_500)
    for each, pending in waiting:
        each.finish_join(pending)
    describe(talk, "all joined", group)


@scenario(transactional=True, settings=EXPIRING)
def offsets_expire(talk: Talk) -> None:
    talk.topic("topic", partitions=3)
    await_group(talk, "expires", "expires-active")
    newest = talk.latest(ApiKey.OFFSET_FETCH)
    simple = Client(talk=talk, group="expires")
    active = Client(talk=talk, group="expires-active", versions=WITHOUT_ID)
    stable_group(active)
    for version in talk.versions(ApiKey.OFFSET_COMMIT):
        if not RETENTION_FROM <= version <= RETENTION_UNTIL:
            continue
        for one in (simple, active):
            one.versions = {**WITHOUT_ID, ApiKey.OFFSET_COMMIT: version}
            for index, retention_ms in enumerate((1_500, -1, 60_000)):
                request = one.commit_request(("topic", index, 5))
                request.retention_time_ms = retention_ms
                one.ask(f"commits for {retention_ms}", request)
        for title in ("at once", "later"):
            for one in (simple, active):
                asked = offset_fetch(talk, one.group, *(("topic", index) for index in range(3)))
                talk.ask(f"{title}, {one.group}, v{version}", asked, newest)
            if title == "at once":
                talk.let_time_pass(3_000)


@scenario(alone=True, settings=EXPIRING)
def offsets_expire_before_they_are_committed(talk: Talk) -> None:
    talk.topic("topic")
    await_group(talk, "wraps", "wraps-active")
    newest = talk.latest(ApiKey.OFFSET_FETCH)
    versions = {**WITHOUT_ID, ApiKey.OFFSET_COMMIT: RETENTION_FROM}
    simple, active = (
        Client(talk=talk, group=group, versions=versions) for group in ("wraps", "wraps-active")
    )
    stable_group(active)
    for one in (simple, active):
        request = one.commit_request(("topic", 0, 5))
        request.retention_time_ms = LONGEST_MS
        one.ask("commits for ever", request)
    talk.let_time_pass(3_000)
    for one in (simple, active):
        asked = offset_fetch(talk, one.group, ("topic", 0))
        talk.ask(f"later, {one.group}", asked, newest)
    for partition in range(3):
        note_offsets_log(talk, f"partition {partition}", partition)


@scenario(alone=True, settings=EXPIRING)
def a_group_expires(talk: Talk) -> None:
    talk.topic("topic", partitions=2)
    await_group(talk, "gone", "simply-gone")
    version = talk.latest(ApiKey.OFFSET_COMMIT, RETENTION_UNTIL)
    versions = {**WITHOUT_ID, ApiKey.OFFSET_COMMIT: version}
    one, simple = (
        Client(talk=talk, group=group, versions=versions) for group in ("gone", "simply-gone")
    )
    stable_group(one)
    for each in (one, simple):
        request = each.commit_request(("topic", 0, 5))
        request.retention_time_ms = 1_500
        each.ask("commits", request)
    one.leave()
    describe(talk, "before", "gone", "simply-gone")
    talk.let_time_pass(3_000)
    describe(talk, "after", "gone", "simply-gone")
    for partition in range(3):
        note_offsets_log(talk, f"partition {partition}", partition)
