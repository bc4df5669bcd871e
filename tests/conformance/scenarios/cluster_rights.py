"""Rights to the cluster, and the ACLs that a cluster stores.

All clients are `User:ANONYMOUS`, and have every right that no ACL takes from them.
"""

from collections.abc import Iterator

from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.messages import request_type
from mockbroker.protocol.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from mockbroker.protocol.messages.create_acls import CreateAclsRequest
from mockbroker.protocol.messages.delete_acls import DeleteAclsFilter, DeleteAclsRequest
from mockbroker.protocol.messages.describe_acls import DescribeAclsRequest
from mockbroker.protocol.messages.describe_cluster import DescribeClusterRequest
from mockbroker.protocol.messages.elect_leaders import ElectLeadersRequest, TopicPartitions
from mockbroker.protocol.messages.offset_commit import OffsetCommitRequest
from mockbroker.protocol.messages.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)
from mockbroker.protocol.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from mockbroker.protocol.schema.message import Message
from mockbroker.state.security.acl import PatternType, Permission
from tests.conformance.acls import (
    AUTHORIZED,
    EVERYTHING,
    OPEN,
    OPEN_TO_ALL,
    Kind,
    Op,
    acl,
    add_acls,
    kept_rights,
)
from tests.conformance.groups import await_group, commit_topics
from tests.conformance.scenarios.security import ODD_FILTERS, ODD_PATTERNS, creation, described
from tests.conformance.script import scenario
from tests.conformance.talk import Talk


def leader_epochs() -> OffsetForLeaderEpochRequest:
    """Ask for the end of the first leader epoch."""
    epochs = [OffsetForLeaderPartition(partition=0, leader_epoch=0)]
    return OffsetForLeaderEpochRequest(topics=[OffsetForLeaderTopic(topic=OPEN, partitions=epochs)])


def on_cluster(talk: Talk) -> Iterator[tuple[str, Message, int]]:
    """Yield requests that need rights to the cluster, which change nothing."""
    topic = [TopicPartitions(topic=OPEN, partitions=[0])]
    requests: list[Message] = [
        DescribeAclsRequest(**EVERYTHING),
        CreateAclsRequest(creations=[]),
        DeleteAclsRequest(filters=[]),
        DescribeClusterRequest(include_cluster_authorized_operations=True),
        ElectLeadersRequest(election_type=0, topic_partitions=topic, timeout_ms=10_000),
        AlterReplicaLogDirsRequest(
            dirs=[
                AlterReplicaLogDir(
                    path="/nowhere",
                    topics=[AlterReplicaLogDirTopic(name=OPEN, partitions=[0])],
                )
            ]
        ),
        WriteTxnMarkersRequest(
            markers=[
                WritableTxnMarker(
                    producer_id=1_000_000,
                    producer_epoch=0,
                    transaction_result=True,
                    topics=[WritableTxnMarkerTopic(name=OPEN, partition_indexes=[0])],
                    coordinator_epoch=0,
                )
            ]
        ),
    ]
    requests.append(leader_epochs())
    plain_ones = (
        ApiKey.LIST_GROUPS,
        ApiKey.ALTER_PARTITION_REASSIGNMENTS,
        ApiKey.LIST_PARTITION_REASSIGNMENTS,
        ApiKey.DESCRIBE_LOG_DIRS,
        ApiKey.DESCRIBE_CLIENT_QUOTAS,
        ApiKey.ALTER_CLIENT_QUOTAS,
        ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS,
        ApiKey.ALTER_USER_SCRAM_CREDENTIALS,
        ApiKey.LIST_CONFIG_RESOURCES,
        ApiKey.UPDATE_FEATURES,
    )
    requests += [request_type(api)() for api in plain_ones]
    for request in requests:
        assert request.API is not None
        versions = talk.versions(request.API)
        for version in dict.fromkeys([*versions[:1], *versions[-1:]]):
            yield f"{request.API.title}, v{version}", request, version


@scenario(authorizer=True, settings=OPEN_TO_ALL, presets=AUTHORIZED, alone=True)
def rights_to_the_cluster(talk: Talk) -> None:
    talk.topic(OPEN)
    await_group(talk, "g")
    commit = OffsetCommitRequest(group_id="g", topics=commit_topics(talk, [(OPEN, 0, 1)]))
    talk.quietly(commit, 2)
    add_acls(talk, *kept_rights())
    for title, request, version in on_cluster(talk):
        if request.API in (
            ApiKey.DESCRIBE_CLIENT_QUOTAS,
            ApiKey.ALTER_CLIENT_QUOTAS,
        ) or request.API in (ApiKey.LIST_CONFIG_RESOURCES, ApiKey.DESCRIBE_CLUSTER):
            talk.ask(f"no right to configs: {title}", request, version)
    # From here on, nobody may change or describe ACLs.
    for operation in (Op.DESCRIBE, Op.ALTER):
        denial = CreateAclsRequest(creations=[acl(Kind.CLUSTER, operation=operation)])
        talk.quietly(denial, talk.latest(ApiKey.CREATE_ACLS))
    talk.wait_a_moment(20)
    for title, request, version in on_cluster(talk):
        talk.ask(title, request, version)


@scenario(authorizer=True, settings=OPEN_TO_ALL, presets=AUTHORIZED, alone=True)
def acls_are_stored(talk: Talk) -> None:
    for version in talk.versions(ApiKey.CREATE_ACLS):
        for title, creations in {
            "none": [],
            "one": [creation()],
            "two": [creation(), creation("u")],
            "one twice": [creation(), creation()],
            "without a name": [creation("")],
            "of a cluster that is not this one": [creation("other", resource_type=Kind.CLUSTER)],
            "of any type": [creation(resource_type=Kind.ANY)],
            "of a type that is none": [creation(resource_type=99)],
            "of any operation": [creation(operation=Op.ANY)],
            "of an operation that is none": [creation(operation=99)],
            "of any permission": [creation(permission_type=1)],
            "of a permission that is none": [creation(permission_type=99)],
            "one of them valid": [creation(""), creation("v"), creation(operation=Op.ANY)],
        }.items():
            talk.ask(f"create {title}, v{version}", CreateAclsRequest(creations=creations), version)
        for pattern_type in (PatternType.PREFIXED, PatternType.ANY, PatternType.MATCH, 99):
            request = CreateAclsRequest(creations=[creation("p", pattern_type=int(pattern_type))])
            talk.ask(f"create pattern {pattern_type}, v{version}", request, version)
    add_acls(talk, acl(Kind.GROUP, "g", Op.READ), acl(Kind.TOPIC, "*", Op.READ, Permission.ALLOW))
    for version in talk.versions(ApiKey.DESCRIBE_ACLS):
        for title, wanted in {**ODD_FILTERS, **ODD_PATTERNS}.items():
            talk.ask(f"describe {title}, v{version}", described(wanted), version)
        for pattern_type in (PatternType.LITERAL, PatternType.PREFIXED, PatternType.MATCH):
            for name in (None, "t", "px"):
                question = DescribeAclsRequest(
                    **{
                        **EVERYTHING,
                        "resource_name_filter": name,
                        "pattern_type_filter": pattern_type,
                    }
                )
                title = f"describe {pattern_type.name} {name}, v{version}"
                talk.ask(title, question, version)
    changes: dict[str, dict[str, object]] = {
        "of another": {"principal_filter": "User:bob"},
        "of groups": {"resource_type_filter": Kind.GROUP},
        "that match": {"resource_name_filter": "px", "pattern_type_filter": PatternType.MATCH},
        "all": {},
        "all again": {},
    }
    for title, change in changes.items():
        deletion = DeleteAclsRequest(filters=[DeleteAclsFilter(**{**EVERYTHING, **change})])
        talk.ask(f"delete {title}", deletion, talk.latest(ApiKey.DELETE_ACLS))
