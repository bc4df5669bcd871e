"""Rights to groups, offsets, transactional ids and idempotent writes.

All clients are `User:ANONYMOUS`, and have every right that no ACL takes from them.
"""

from collections.abc import Sequence

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages.add_offsets_to_txn import AddOffsetsToTxnRequest
from mockbroker.protocol.messages.delete_groups import DeleteGroupsRequest
from mockbroker.protocol.messages.describe_groups import DescribeGroupsRequest
from mockbroker.protocol.messages.describe_transactions import DescribeTransactionsRequest
from mockbroker.protocol.messages.end_txn import EndTxnRequest
from mockbroker.protocol.messages.find_coordinator import FindCoordinatorRequest
from mockbroker.protocol.messages.heartbeat import HeartbeatRequest
from mockbroker.protocol.messages.init_producer_id import (
    InitProducerIdRequest,
    InitProducerIdResponse,
)
from mockbroker.protocol.messages.join_group import JoinGroupRequest
from mockbroker.protocol.messages.leave_group import LeaveGroupRequest
from mockbroker.protocol.messages.list_groups import ListGroupsRequest
from mockbroker.protocol.messages.list_transactions import ListTransactionsRequest
from mockbroker.protocol.messages.offset_commit import OffsetCommitRequest
from mockbroker.protocol.messages.sync_group import SyncGroupRequest
from mockbroker.state.security.acl import Permission
from tests.conformance.acls import (
    AUTHORIZED,
    CLOSED,
    MISSING,
    OPEN,
    OPEN_TO_ALL,
    SEEN,
    TOPICS,
    Kind,
    Op,
    acl,
    add_acls,
    ask_versions,
    deny_topics,
    kept_rights,
    remove_acls,
)
from tests.conformance.batches import Producer, plain
from tests.conformance.groups import await_group, commit_topics
from tests.conformance.requests import (
    produce,
)
from tests.conformance.scenarios.group_offsets import offset_delete
from tests.conformance.scenarios.transactional_offsets import offset_fetch
from tests.conformance.script import scenario
from tests.conformance.talk import Talk
from tests.conformance.transactions import (
    Member,
    Transactor,
    add_partitions,
    await_coordinator,
    offset_commit,
    styles,
)


@scenario(authorizer=True, settings=OPEN_TO_ALL, presets=AUTHORIZED, alone=True)
def rights_to_groups(talk: Talk) -> None:
    for name in (OPEN, CLOSED, SEEN):
        talk.topic(name)
    groups = ("g-open", "g-closed")
    await_group(talk, *groups)
    commits = [(name, 0, 1) for name in (OPEN, CLOSED, SEEN)]
    for group in groups:
        commit = OffsetCommitRequest(group_id=group, topics=commit_topics(talk, commits))
        talk.quietly(commit, 6)
    deny_topics(talk)
    add_acls(talk, acl(Kind.GROUP, "g-closed"))
    for group in groups:
        ask_of_group(talk, group, commits)
    administer(talk, groups)


def ask_of_group(talk: Talk, group: str, commits: list[tuple[str, int, int]]) -> None:
    """Ask what members ask of one group."""
    commit = OffsetCommitRequest(group_id=group, topics=commit_topics(talk, commits))
    ask_versions(talk, f"commit in {group}", commit, 9)
    only_closed = OffsetCommitRequest(group_id=group, topics=commit_topics(talk, commits[1:2]))
    ask_versions(talk, f"commit {CLOSED} in {group}", only_closed, 9)
    for version in talk.versions(ApiKey.OFFSET_FETCH):
        if 1 <= version <= 9:
            parts = [(name, 0) for name in TOPICS]
            talk.ask(f"fetch of {group}, v{version}", offset_fetch(talk, group, *parts), version)
    for request in (
        JoinGroupRequest(group_id=group, session_timeout_ms=1, protocol_type="consumer"),
        SyncGroupRequest(group_id=group),
        HeartbeatRequest(group_id=group),
        LeaveGroupRequest(group_id=group),
    ):
        assert request.API is not None
        ask_versions(talk, f"{request.API.title} of {group}", request)
    for version in talk.versions(ApiKey.FIND_COORDINATOR):
        if version < 4:
            lookup = FindCoordinatorRequest(key=group, key_type=0)
            talk.ask(f"find {group}, v{version}", lookup, version)


def administer(talk: Talk, groups: Sequence[str]) -> None:
    """Ask what administrators ask of groups."""
    for version in talk.versions(ApiKey.FIND_COORDINATOR):
        if version >= 4:
            lookup = FindCoordinatorRequest(coordinator_keys=list(groups), key_type=0)
            talk.ask(f"find groups, v{version}", lookup, version)
    ask_versions(talk, "list groups", ListGroupsRequest())
    for authorized in (False, True):
        described = DescribeGroupsRequest(
            groups=list(groups), include_authorized_operations=authorized
        )
        talk.ask(f"describe, {authorized}", described, talk.latest(ApiKey.DESCRIBE_GROUPS))
    ask_versions(talk, "describe", DescribeGroupsRequest(groups=list(groups)))
    for group in groups:
        deletion = offset_delete(group, *((name, 0) for name in TOPICS))
        ask_versions(talk, f"delete offsets of {group}", deletion)
    ask_versions(talk, "delete groups", DeleteGroupsRequest(groups_names=["g-closed"]))
    add_acls(talk, *kept_rights())
    ask_versions(talk, "delete some groups", DeleteGroupsRequest(groups_names=list(groups)))


@scenario(authorizer=True, settings=OPEN_TO_ALL, presets=AUTHORIZED, alone=True)
def rights_to_transactions(talk: Talk) -> None:
    for name in (OPEN, CLOSED, SEEN):
        talk.topic(name)
    *_, style = (each for each in styles(talk.release) if not each.bumps)
    for key in ("x-open", "x-closed"):
        await_coordinator(talk, key)
    await_group(talk, "g-open", "g-closed")
    one = Transactor(talk, "x-open", style)
    one.init()
    other = Transactor(talk, "x-closed", style)
    other.init()
    deny_topics(talk)
    add_acls(talk, acl(Kind.TRANSACTIONAL_ID, "x-closed"), acl(Kind.GROUP, "g-closed"))
    for name, producer in (("x-open", one.producer), ("x-closed", other.producer)):
        work_in_transaction(talk, name, producer)
    if talk.versions(ApiKey.LIST_TRANSACTIONS):
        ask_versions(talk, "list", ListTransactionsRequest())
    for name, producer in (("x-closed", other.producer), ("x-open", one.producer)):
        end = EndTxnRequest(
            transactional_id=name,
            producer_id=producer.producer_id,
            producer_epoch=producer.producer_epoch,
            committed=True,
        )
        talk.ask(f"{name}: end", end, 3)
    for version in talk.versions(ApiKey.INIT_PRODUCER_ID):
        if version <= 5:
            begin = InitProducerIdRequest(
                transactional_id="x-closed", transaction_timeout_ms=60_000
            )
            talk.ask(f"x-closed: init, v{version}", begin, version)


def work_in_transaction(talk: Talk, name: str, producer: Producer) -> None:
    """Ask what a producer asks in its transaction."""
    for parts in ([(CLOSED, 0)], [(OPEN, 0), (CLOSED, 0), (MISSING, 0)], [(OPEN, 0)]):
        title = " ".join(topic for topic, _ in parts)
        request = add_partitions(name, producer, *parts)
        ask_versions(talk, f"{name}: add {title}", request, 3)
    records = [(topic, 0, plain(b"v", at_ms=talk.at(0))) for topic in (OPEN, CLOSED)]
    talk.ask(f"{name}: produce", produce(talk, *records, transactional_id=name), 7)
    for group in ("g-open", "g-closed"):
        offsets = AddOffsetsToTxnRequest(
            transactional_id=name,
            producer_id=producer.producer_id,
            producer_epoch=producer.producer_epoch,
            group_id=group,
        )
        ask_versions(talk, f"{name}: add offsets of {group}", offsets, 3)
        commit = offset_commit(
            talk, name, producer, Member(group=group), (OPEN, 0, 1), (CLOSED, 0, 1)
        )
        ask_versions(talk, f"{name}: commit in {group}", commit, 3)
    lookup = FindCoordinatorRequest(key=name, key_type=1)
    talk.ask(f"{name}: find", lookup, 2)
    if talk.versions(ApiKey.DESCRIBE_TRANSACTIONS):
        talk.ask(f"{name}: describe", DescribeTransactionsRequest(transactional_ids=[name]), 0)


@scenario(authorizer=True, settings=OPEN_TO_ALL, presets=AUTHORIZED, alone=True)
def rights_to_idempotent_writes(talk: Talk) -> None:
    talk.topic(OPEN)
    keep = kept_rights()
    request = InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=60_000)
    known = talk.expect(InitProducerIdResponse, talk.quietly(request, 0))
    producer = Producer(known.producer_id, known.producer_epoch)
    records = plain(b"v", at_ms=talk.at(0), producer=producer)
    add_acls(talk, acl(Kind.TOPIC, "*", Op.WRITE), *keep)
    ask_versions(talk, "no topic may be written to", request, 5)
    remove_acls(talk)
    add_acls(talk, acl(Kind.TOPIC, OPEN, Op.WRITE), *keep)
    ask_versions(talk, "one topic may not be written to", request, 5)
    remove_acls(talk)
    add_acls(talk, *keep)
    ask_versions(talk, "every topic may be written to", request, 5)
    ask_versions(talk, "write", produce(talk, (OPEN, 0, records)), 12)
    add_acls(
        talk,
        acl(Kind.CLUSTER, operation=Op.IDEMPOTENT_WRITE, permission=Permission.ALLOW),
        acl(Kind.TOPIC, OPEN, Op.WRITE),
    )
    ask_versions(talk, "with the right to idempotent writes", request, 5)
    ask_versions(talk, "write to a topic without the right", produce(talk, (OPEN, 0, records)), 12)
