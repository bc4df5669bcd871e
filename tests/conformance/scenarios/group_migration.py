"""Groups with members of the classic and of the consumer protocol (KIP-848's migration)."""

from mockbroker.protocol.api_keys import ApiKey
from tests.conformance.classic_consumers import ClassicConsumer, assigned, subscribed
from tests.conformance.consumer_groups import AT_ONCE, Member, describe_consumers, list_groups
from tests.conformance.groups import (
    Client,
    await_group,
    await_state,
    describe,
    stable_group,
)
from tests.conformance.scenarios.consumer_offsets import fetch
from tests.conformance.scenarios.group_log import note_log
from tests.conformance.script import scenario
from tests.conformance.talk import Talk

NEWEST = ("4.4",)
ALL = {"topic": [0, 1, 2, 3]}
FIRST_HALF = {"topic": [0, 1]}
SECOND_HALF = {"topic": [2, 3]}
SHORT = {"group.min.session.timeout.ms": "100", "group.consumer.min.session.timeout.ms": "100"}
SESSION_MS = 2_000
LONG_MS = 30_000


def policy(name: str) -> dict[str, str]:
    """Return settings with a migration policy."""
    return {**AT_ONCE, "group.consumer.migration.policy": name}


def classic_owner(talk: Talk, group: str, **fields: object) -> ClassicConsumer:
    """Return the only member of a stable classic group, which has all partitions."""
    one = ClassicConsumer(talk=talk, group=group, **fields)  # type: ignore[arg-type]
    one.join()
    one.assign(ALL)
    return one


def joined(talk: Talk, group: str, **fields: object) -> ClassicConsumer:
    """Return a classic member of a consumer group, whose id it has chosen itself."""
    member = ClassicConsumer(talk=talk, group=group, name="c", **fields)  # type: ignore[arg-type]
    if member.instance_id is None:
        member.member_id = "member-c"
    return member


@scenario(transactional=True, settings=AT_ONCE, presets=NEWEST)
def a_classic_group_is_upgraded(talk: Talk) -> None:
    talk.topic("topic", partitions=4)
    group = "gm-upgrade"
    await_group(talk, group)
    one = classic_owner(talk, group)
    describe(talk, "classic", group)
    two = Member(talk=talk, group=group, name="b")
    two.beat("is no member of a classic group")
    two.join()
    describe(talk, "upgraded", group)
    two.beat("waits")
    one.heartbeat("is told to join")
    one.sync(title="syncs too late")
    one.join_owning(ALL)
    one.sync(title="keeps half")
    one.heartbeat("has to revoke")
    two.beat("waits still")
    one.join_owning(FIRST_HALF, "joins without what it revoked")
    one.sync(title="has its half")
    one.heartbeat("is stable")
    two.beat("has its half")
    two.beat("owns it", SECOND_HALF)
    one.join_owning(FIRST_HALF, "joins without need")
    one.sync(title="syncs again")
    one.sync(title="syncs once more")
    two.leave()
    describe(talk, "downgraded", group)
    one.heartbeat("is told of the rebalance")
    one.join_owning(FIRST_HALF, "joins the classic group")
    one.assign(ALL)
    describe(talk, "classic again", group)
    describe_consumers(talk, "classic again", group)
    two.beat("is gone")
    two.leave("is gone, and leaves")
    one.leave()


@scenario(transactional=True, settings=AT_ONCE, presets=NEWEST)
def classic_members_of_a_consumer_group(talk: Talk) -> None:
    talk.topic("topic", partitions=4)
    group = "gm-classic"
    await_group(talk, group)
    one = Member(talk=talk, group=group)
    one.join()
    one.beat("owns all", ALL)
    nameless = ClassicConsumer(talk=talk, group=group, name="n")
    nameless.join_quietly("needs an id")
    old = ClassicConsumer(
        talk=talk, group=group, name="o", versions={ApiKey.JOIN_GROUP: 3, ApiKey.LEAVE_GROUP: 2}
    )
    old.protocols = [("range", subscribed("topic", version=0))]
    old.join_quietly("joins without an id first")
    old.leave()
    two = joined(talk, group)
    two.join("joins with an id of its own")
    describe_consumers(talk, "joined", group)
    two.heartbeat("beats before it syncs")
    two.sync(title="has nothing yet")
    two.heartbeat("waits")
    one.beat("is told", None)
    one.beat("revoked", FIRST_HALF)
    two.heartbeat("is told to join")
    two.join_owning({})
    two.sync(title="has its half")
    two.heartbeat("is stable")
    describe_consumers(talk, "shared", group)
    describe(talk, "shared", group)
    two.topics = ("topic", "missing")
    two.join_owning(SECOND_HALF, "subscribes to more")
    two.sync(title="syncs after that")
    describe_consumers(talk, "subscribed", group)
    one.beat("is in the next epoch")
    two.leave()
    describe_consumers(talk, "left", group)
    one.beat("has all again")
    one.leave()
    two.ask("joins the empty group", two.join_request(member_id=""))
    describe_consumers(talk, "empty", group)


@scenario(transactional=True, settings=AT_ONCE, presets=NEWEST)
def classic_members_are_refused(talk: Talk) -> None:
    talk.topic("topic", partitions=4)
    group = "gm-refused"
    await_group(talk, group)
    one = Member(talk=talk, group=group)
    one.join()
    one.beat("owns all", ALL)
    two = joined(talk, group)
    two.protocols = []
    two.ask("has no protocols", two.join_request())
    two.protocols = [("range", b"")]
    two.ask("has no subscription", two.join_request())
    two.protocols = [("range", b"\0\3no")]
    two.ask("has a malformed subscription", two.join_request())
    two.owns({})
    request = two.join_request()
    request.session_timeout_ms = 1
    two.ask("has a short session", request)
    two.join()
    connect = Client(talk=talk, group=group, name="x", protocol_type="connect")
    connect.ask("has another protocol type", connect.join_request())
    other = ClassicConsumer(talk=talk, group=group, name="o", assignors=("sticky",))
    other.ask("has no common protocol", other.join_request())
    for member_id, title in (("nobody", "is no member"), (one.member_id, "is no classic member")):
        stranger = ClassicConsumer(talk=talk, group=group, name="s")
        stranger.member_id, stranger.generation = member_id, one.epoch
        stranger.heartbeat(f"{title}, and beats")
        stranger.sync(title=f"{title}, and syncs")
        stranger.commit(("topic", 0, 1), title=f"{title}, and commits")
    for change in (-1, 1):
        generation = two.generation + change
        two.ask(f"beats in {change:+}", two.heartbeat_request(generation=generation))
        two.ask(f"syncs in {change:+}", two.sync_request(generation=generation))
    two.ask("syncs with another type", two.sync_request(names=("connect", "range")))
    two.ask("syncs with another protocol", two.sync_request(names=("consumer", "sticky")))
    two.sync()
    static = ClassicConsumer(talk=talk, group=group, name="i", instance_id="i")
    static.member_id, static.generation = two.member_id, two.generation
    static.heartbeat("beats with an unknown instance id")
    static.sync(title="syncs with an unknown instance id")
    static.leave("leaves with an unknown instance id")
    two.ask("joins as nobody", two.join_request(member_id="nobody"))


@scenario(transactional=True, settings=AT_ONCE, presets=NEWEST)
def offsets_of_migrating_members(talk: Talk) -> None:
    talk.topic("topic", partitions=4)
    group = "gm-offsets"
    await_group(talk, group)
    one = Member(talk=talk, group=group)
    one.join()
    one.beat("owns all", ALL)
    one.beat("revoked", {})
    two = joined(talk, group)
    two.join()
    two.sync()
    one.beat("is told", None)
    one.beat("revoked", FIRST_HALF)
    two.join_owning({})
    two.sync(title="has its half")
    two.commit(("topic", 2, 5))
    two.commit(("topic", 0, 5), title="commits what it does not own")
    for change in (-1, 1):
        generation = two.generation + change
        request = two.commit_request(("topic", 3, 6), generation=generation)
        two.ask(f"commits in {change:+}", request)
        unowned = two.commit_request(("topic", 0, 6), generation=generation)
        two.ask(f"commits what it does not own in {change:+}", unowned)
    old = two.commit_request(("topic", 2, 7))
    talk.ask("commits in v8", old, 8)
    for member_id, generation, title in (
        (two.member_id, two.generation, "fetches"),
        (two.member_id, two.generation - 1, "fetches in an old generation"),
        (None, -1, "nobody fetches"),
    ):
        fetch(talk, title, group, 9, member_id, generation)


@scenario(transactional=True, settings=AT_ONCE, presets=NEWEST)
def static_members_change_the_protocol(talk: Talk) -> None:
    talk.topic("topic", partitions=4)
    group = "gm-static"
    await_group(talk, group)
    one = classic_owner(talk, group, instance_id="i")
    new = Member(talk=talk, group=group, name="b", instance_id="i")
    new.join("replaces the classic member")
    describe_consumers(talk, "upgraded", group)
    one.heartbeat("is fenced, and beats")
    one.sync(title="is fenced, and syncs")
    one.leave("is fenced, and leaves")
    one.ask("is fenced, and joins", one.join_request())
    new.beat("owns all", ALL)
    new.leave("leaves for a moment", -2)
    back = joined(talk, group, instance_id="i")
    back.join_quietly("takes the instance id back")
    describe(talk, "downgraded", group)
    back.sync(title="syncs")
    back.heartbeat()
    new.join("replaces it again")
    back.member_id = ""
    back.topics = ("topic", "missing")
    back.owns(ALL)
    back.join_quietly("replaces it without its leaving, and subscribes to more")
    describe(talk, "downgraded again", group)
    new.leave("is gone")


@scenario(transactional=True, settings=AT_ONCE, presets=NEWEST)
def upgrades_that_are_refused(talk: Talk) -> None:
    talk.topic("topic", partitions=4)
    for name in ("connect", "malformed", "custom", "waiting", "syncing", "rejoining"):
        await_group(talk, f"gm-{name}")
    connect = Client(talk=talk, group="gm-connect", protocol_type="connect")
    stable_group(connect)
    Member(talk=talk, group=connect.group, name="b").join("joins a group of connect")
    malformed = Client(
        talk=talk, group="gm-malformed", protocols=[("range", b"\0\3no")], sends_raw=True
    )
    stable_group(malformed)
    Member(talk=talk, group=malformed.group, name="b").join("joins a malformed group")
    custom = ClassicConsumer(talk=talk, group="gm-custom")
    custom.join()
    custom.ask("has user data", custom.assign_request(assigned(ALL, user_data=b"mine")))
    Member(talk=talk, group=custom.group, name="b").join("joins a group with user data")
    custom.heartbeat("is left as it was")
    syncing = ClassicConsumer(talk=talk, group="gm-syncing")
    syncing.join()
    Member(talk=talk, group=syncing.group, name="b").join("joins before the assignment")
    syncing.heartbeat("is told to join")
    syncing.assign(ALL, "assigns itself too late")
    rejoining = classic_owner(talk, "gm-rejoining")
    other = ClassicConsumer(talk=talk, group=rejoining.group, name="o")
    waiting = other.begin_join()
    await_state(talk, rejoining.group, "PreparingRebalance")
    Member(talk=talk, group=rejoining.group, name="b").join("joins during a rebalance")
    other.finish_join(waiting)
    describe(talk, "during a rebalance", rejoining.group)


@scenario(
    transactional=True,
    settings={**AT_ONCE, "group.initial.rebalance.delay.ms": "3000"},
    presets=NEWEST,
)
def an_upgrade_during_the_first_rebalance(talk: Talk) -> None:
    talk.topic("topic", partitions=4)
    group = "gm-waiting"
    await_group(talk, group)
    one = ClassicConsumer(talk=talk, group=group)
    pending = one.begin_join()
    await_state(talk, group, "PreparingRebalance")
    Member(talk=talk, group=group, name="b").join("joins too early")
    one.finish_join(pending)
    describe(talk, "afterwards", group)


@scenario(
    transactional=True,
    settings={**AT_ONCE, "group.consumer.max.size": "1", "group.max.size": "1"},
    presets=NEWEST,
)
def migrations_that_are_too_large(talk: Talk) -> None:
    talk.topic("topic", partitions=4)
    group = "gm-large"
    await_group(talk, group)
    one = classic_owner(talk, group)
    two = Member(talk=talk, group=group, name="b")
    two.join("is one too many")
    one.heartbeat("is still there")
    one.leave()
    two.join("joins the empty group")
    joined(talk, group).join("is one too many")


def refuse(talk: Talk, group: str) -> None:
    """Record what each migration gets, first with a classic group."""
    talk.topic("topic", partitions=4)
    await_group(talk, group, f"{group}-2")
    one = classic_owner(talk, group)
    two = Member(talk=talk, group=group, name="b")
    two.join("joins a classic group")
    one.heartbeat()
    group = f"{group}-2"
    two = Member(talk=talk, group=group, name="b")
    two.join()
    three = joined(talk, group)
    three.join("joins a consumer group")
    three.heartbeat()
    two.leave()
    describe(talk, "one has left", group)


@scenario(transactional=True, settings=policy("disabled"), presets=NEWEST)
def migration_is_disabled(talk: Talk) -> None:
    refuse(talk, "gm-disabled")


@scenario(transactional=True, settings=policy("upgrade"), presets=NEWEST)
def migration_is_upgrade_only(talk: Talk) -> None:
    refuse(talk, "gm-up")


@scenario(transactional=True, settings=policy("downgrade"), presets=NEWEST)
def migration_is_downgrade_only(talk: Talk) -> None:
    refuse(talk, "gm-down")


@scenario(transactional=True, settings={**AT_ONCE, **SHORT}, presets=NEWEST)
def classic_members_of_consumer_groups_time_out(talk: Talk) -> None:
    talk.topic("topic", partitions=4)
    group = "gm-time"
    await_group(talk, group)
    one = Member(talk=talk, group=group)
    one.join()
    for title, session_ms, rebalance_ms in (
        ("session", SESSION_MS, LONG_MS),
        ("sync", LONG_MS, SESSION_MS),
    ):
        two = joined(talk, group, session_timeout_ms=session_ms, rebalance_timeout_ms=rebalance_ms)
        two.join(f"joins: {title}")
        if title == "session":
            two.sync()
        talk.let_time_pass(2 * SESSION_MS)
        describe_consumers(talk, f"{title} has ended", group)
        two.heartbeat(f"beats too late: {title}")
    two = joined(talk, group, session_timeout_ms=LONG_MS, rebalance_timeout_ms=SESSION_MS)
    two.join("joins: join")
    two.sync()
    three = Member(talk=talk, group=group, name="b")
    three.join("begins an epoch")
    two.heartbeat("is told to join")
    talk.let_time_pass(2 * SESSION_MS)
    describe_consumers(talk, "join has ended", group)
    two.heartbeat("beats too late: join")


@scenario(settings=AT_ONCE, alone=True, presets=NEWEST)
def the_log_of_a_migrating_group(talk: Talk) -> None:
    talk.topic("topic", partitions=4)
    group = "gm-log"
    await_group(talk, group)
    one = classic_owner(talk, group)
    two = Member(talk=talk, group=group, name="b")
    two.join()
    list_groups(talk, "upgraded")
    one.heartbeat("is told to join")
    two.leave()
    list_groups(talk, "downgraded")
    one.join_owning(ALL)
    one.assign(ALL)
    note_log(talk, "migrated")
