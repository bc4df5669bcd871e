"""Refusals of the newer group APIs that no other script meets."""

from mockbroker.protocol.messages.share_acknowledge import ShareAcknowledgeRequest
from mockbroker.protocol.messages.share_fetch import ShareFetchRequest
from tests.conformance.classic_consumers import ClassicConsumer
from tests.conformance.consumer_groups import AT_ONCE, describe_consumers
from tests.conformance.consumer_groups import Member as ConsumerMember
from tests.conformance.groups import Client, await_group, stable_group
from tests.conformance.script import scenario
from tests.conformance.share_groups import AT_ONCE as SHARED_AT_ONCE
from tests.conformance.share_groups import (
    ShareMember,
    describe_share,
    offsets_request,
    settle,
)
from tests.conformance.share_members import (
    ACCEPT,
    FINAL,
    MEMBER,
    RELEASE,
    RENEW,
    members,
    set_configs,
)
from tests.conformance.streams_groups import AT_ONCE as STREAMS_AT_ONCE
from tests.conformance.streams_groups import StreamsMember, describe_streams, simple
from tests.conformance.talk import Talk

NEWEST = ("4.4",)
LATE_MS = 20_000
"""The persister tries five times, with a backoff that doubles from a second."""
PATIENCE_S = 60.0


@scenario(transactional=True, settings={**AT_ONCE, "group.consumer.max.size": "1"}, presets=NEWEST)
def an_upgrade_beyond_the_size_of_consumer_groups(talk: Talk) -> None:
    talk.topic("topic", partitions=2)
    group = "gr-large"
    await_group(talk, group)
    one, two = (ClassicConsumer(talk=talk, group=group, name=name) for name in "ab")
    stable_group(one, two)
    ConsumerMember(talk=talk, group=group, name="c").join("joins two classic members")
    one.heartbeat("is still there")


@scenario(
    transactional=True,
    settings={**AT_ONCE, **SHARED_AT_ONCE, **STREAMS_AT_ONCE},
    presets=NEWEST,
)
def streams_members_in_groups_of_other_kinds(talk: Talk) -> None:
    talk.topic("topic")
    kinds = ("classic", "consumer", "share", "streams")
    await_group(talk, *(f"gr-{kind}" for kind in kinds))
    classic = Client(talk=talk, group="gr-classic")
    classic.join()
    consumer = ConsumerMember(talk=talk, group="gr-consumer", name="b")
    consumer.join()
    shared = ShareMember(talk=talk, group="gr-share", name="c")
    shared.join()
    streams = StreamsMember(talk=talk, group="gr-streams", topology=[simple("topic")], name="d")
    streams.join()
    streams.join("without a group", group_id="")
    streams.join("with a blank group", group_id=" ")
    for kind in kinds[:-1]:
        other = StreamsMember(
            talk=talk, group=f"gr-{kind}", topology=[simple("topic")], name="other"
        )
        other.join(f"joins a {kind} group")
        other.beat(f"beats in a {kind} group", member_epoch=1)
        other.leave(f"leaves a {kind} group")
    describe_streams(talk, "groups of other kinds", *(f"gr-{kind}" for kind in kinds[:-1]))
    stranger = ConsumerMember(talk=talk, group="gr-streams", name="x")
    stranger.join("joins a streams group")
    stranger.epoch = 1
    stranger.beat("beats in a streams group")
    stranger.leave("leaves a streams group")
    sharing = ShareMember(talk=talk, group="gr-streams", name="y")
    sharing.join("joins a streams group")
    sharing.beat("beats in a streams group", epoch=1)
    sharing.leave("leaves a streams group")
    describe_consumers(talk, "a streams group", "gr-streams")
    describe_share(talk, "a streams group", "gr-streams")


@scenario(presets=NEWEST)
def share_acknowledgements_that_are_refused(talk: Talk) -> None:
    one, two = members(talk)
    one.fetch("acquire a batch", 0, records_max=1)
    one.acknowledge("past what is acquired", 1, (4, 5, [ACCEPT]))
    one.acknowledge("from the batch to what is not acquired", 2, (1, 4, [ACCEPT]))
    two.fetch("acquire the other batch", 0)
    one.fetch("accept another's batch while fetching", 3, (3, 5, [ACCEPT]))
    one.fetch("accept one of another's batch while fetching", 4, (4, 4, [ACCEPT]))
    two.acknowledge("release one", 1, (4, 4, [RELEASE]))
    two.fetch("accept what was released while fetching", 2, (4, 4, [ACCEPT]), records_max=0)
    one.acknowledge("release the batch", 5, (0, 2, [RELEASE]))
    one.acknowledge("accept the batch then", 6, (0, 2, [ACCEPT]))
    one.acknowledge("accept one of the batch then", 7, (1, 1, [ACCEPT]))
    one.fetch("acquire again", 8, partitions=None)
    set_configs(talk, {"share.renew.acknowledge.enable": "false"})
    one.acknowledge("renew a batch", 9, (0, 2, [RENEW]), renews=True)
    one.acknowledge("renew one record", 10, (1, 1, [RENEW]), renews=True)
    set_configs(talk, {"share.renew.acknowledge.enable": "true"})
    one.fetch("end the session", FINAL, partitions=None)
    one.fetch("fetch after the end", 11, partitions=None)
    for group_id, member_id, title in (
        (None, MEMBER, "of no group"),
        ("", MEMBER, "of an empty group"),
        ("g", None, "of no member"),
    ):
        fetch = ShareFetchRequest(group_id=group_id, member_id=member_id)
        talk.ask(f"fetch {title}", fetch, 2)
        acknowledge = ShareAcknowledgeRequest(
            group_id=group_id, member_id=member_id, share_session_epoch=1
        )
        talk.ask(f"acknowledge {title}", acknowledge, 2)


@scenario(settings=SHARED_AT_ONCE, presets=NEWEST)
def offsets_of_an_unknown_share_partition(talk: Talk) -> None:
    talk.topic("topic")
    group = "gr-unknown"
    await_group(talk, group)
    settle([ShareMember(talk=talk, group=group)], 1)
    request = offsets_request(group, {"topic": [0, 7]})
    pending = talk.begin("of a partition that is not there", request, 1, waits_ms=LATE_MS)
    talk.finish(pending, patience_s=PATIENCE_S)
