"""Deletion of what conversations have made."""

from mockbroker import API, Cluster
from mockbroker.diff.clean_up import clean_up
from mockbroker.diff.survey import survey
from mockbroker.protocol.messages.create_topics import (
    CreatableTopic,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from mockbroker.protocol.messages.find_coordinator import (
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)
from mockbroker.protocol.messages.init_producer_id import (
    InitProducerIdRequest,
    InitProducerIdResponse,
)
from mockbroker.protocol.messages.join_group import (
    JoinGroupRequest,
    JoinGroupRequestProtocol,
    JoinGroupResponse,
)
from mockbroker.protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from mockbroker.wire import WireClient
from tests.conformance.replay import addresses_of
from tests.support.scripted_broker import names_on


def make_some(client: WireClient, prefix: str) -> None:
    """Make a topic, a transaction, a simple group, and a group with a member."""
    for key_type, key in ((0, f"{prefix}simple"), (1, f"{prefix}x")):
        find = FindCoordinatorRequest(key=key, key_type=key_type)
        client.ask(find, 2, FindCoordinatorResponse)
    topics = CreateTopicsRequest(
        topics=[CreatableTopic(name=f"{prefix}t", num_partitions=1, replication_factor=1)]
    )
    client.ask(topics, 5, CreateTopicsResponse)
    begun = InitProducerIdRequest(transactional_id=f"{prefix}x", transaction_timeout_ms=60_000)
    client.ask(begun, 1, InitProducerIdResponse)
    partitions = [OffsetCommitRequestPartition(partition_index=0, committed_offset=1)]
    commit = OffsetCommitRequest(
        group_id=f"{prefix}simple",
        topics=[OffsetCommitRequestTopic(name=f"{prefix}t", partitions=partitions)],
    )
    client.ask(commit, 5, OffsetCommitResponse)
    joining = JoinGroupRequest(
        group_id=f"{prefix}joined",
        session_timeout_ms=30_000,
        rebalance_timeout_ms=30_000,
        protocol_type="p",
        protocols=[JoinGroupRequestProtocol(name="range", metadata=b"m")],
    )
    client.ask(joining, 2, JoinGroupResponse)


def test_only_what_has_the_prefix_is_deleted() -> None:
    with Cluster() as cluster, WireClient(cluster.bootstrap_servers) as client:
        for prefix in ("diffabcd1-", "theirs-"):
            make_some(client, prefix)
        facts = survey(addresses_of(cluster)[0], 5)
        left = clean_up(facts, "diffabcd", [(32, "diffabcd1-joined")], 5)
        names = names_on(cluster)
    assert left == ["1 transactional ids, which the broker forgets by itself"]
    assert {name for name in names.topics if not name.startswith("__")} == {"theirs-t"}
    assert set(names.groups) == {"theirs-simple", "theirs-joined"}


def test_what_cannot_be_deleted_is_named() -> None:
    with Cluster() as cluster, WireClient(cluster.bootstrap_servers) as client:
        make_some(client, "diffabcd1-")
        cluster.fault(API.DELETE_TOPICS).answer("TOPIC_AUTHORIZATION_FAILED").every_time()
        for api in (API.DELETE_GROUPS, API.DESCRIBE_GROUPS):
            cluster.fault(api).answer("GROUP_AUTHORIZATION_FAILED").every_time()
        facts = survey(addresses_of(cluster)[0], 5)
        left = clean_up(facts, "diffabcd", [], 5)
    assert "1 topics" in left
    assert "2 groups with members, which leave when their sessions end" in left
