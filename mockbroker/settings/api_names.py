"""APIs by their names: what people write, and what type checkers and editors know."""

from collections.abc import Collection, Mapping
from typing import Final, Literal, TypeAlias

from mockbroker.errors import nearest_name, plain_name
from mockbroker.protocol.api_keys import ApiKey

ApiName: TypeAlias = Literal[
    "Produce",
    "PRODUCE",
    "Fetch",
    "FETCH",
    "ListOffsets",
    "LIST_OFFSETS",
    "Metadata",
    "METADATA",
    "LeaderAndIsr",
    "LEADER_AND_ISR",
    "StopReplica",
    "STOP_REPLICA",
    "UpdateMetadata",
    "UPDATE_METADATA",
    "ControlledShutdown",
    "CONTROLLED_SHUTDOWN",
    "OffsetCommit",
    "OFFSET_COMMIT",
    "OffsetFetch",
    "OFFSET_FETCH",
    "FindCoordinator",
    "FIND_COORDINATOR",
    "JoinGroup",
    "JOIN_GROUP",
    "Heartbeat",
    "HEARTBEAT",
    "LeaveGroup",
    "LEAVE_GROUP",
    "SyncGroup",
    "SYNC_GROUP",
    "DescribeGroups",
    "DESCRIBE_GROUPS",
    "ListGroups",
    "LIST_GROUPS",
    "SaslHandshake",
    "SASL_HANDSHAKE",
    "ApiVersions",
    "API_VERSIONS",
    "CreateTopics",
    "CREATE_TOPICS",
    "DeleteTopics",
    "DELETE_TOPICS",
    "DeleteRecords",
    "DELETE_RECORDS",
    "InitProducerId",
    "INIT_PRODUCER_ID",
    "OffsetForLeaderEpoch",
    "OFFSET_FOR_LEADER_EPOCH",
    "AddPartitionsToTxn",
    "ADD_PARTITIONS_TO_TXN",
    "AddOffsetsToTxn",
    "ADD_OFFSETS_TO_TXN",
    "EndTxn",
    "END_TXN",
    "WriteTxnMarkers",
    "WRITE_TXN_MARKERS",
    "TxnOffsetCommit",
    "TXN_OFFSET_COMMIT",
    "DescribeAcls",
    "DESCRIBE_ACLS",
    "CreateAcls",
    "CREATE_ACLS",
    "DeleteAcls",
    "DELETE_ACLS",
    "DescribeConfigs",
    "DESCRIBE_CONFIGS",
    "AlterConfigs",
    "ALTER_CONFIGS",
    "AlterReplicaLogDirs",
    "ALTER_REPLICA_LOG_DIRS",
    "DescribeLogDirs",
    "DESCRIBE_LOG_DIRS",
    "SaslAuthenticate",
    "SASL_AUTHENTICATE",
    "CreatePartitions",
    "CREATE_PARTITIONS",
    "CreateDelegationToken",
    "CREATE_DELEGATION_TOKEN",
    "RenewDelegationToken",
    "RENEW_DELEGATION_TOKEN",
    "ExpireDelegationToken",
    "EXPIRE_DELEGATION_TOKEN",
    "DescribeDelegationToken",
    "DESCRIBE_DELEGATION_TOKEN",
    "DeleteGroups",
    "DELETE_GROUPS",
    "ElectLeaders",
    "ELECT_LEADERS",
    "IncrementalAlterConfigs",
    "INCREMENTAL_ALTER_CONFIGS",
    "AlterPartitionReassignments",
    "ALTER_PARTITION_REASSIGNMENTS",
    "ListPartitionReassignments",
    "LIST_PARTITION_REASSIGNMENTS",
    "OffsetDelete",
    "OFFSET_DELETE",
    "DescribeClientQuotas",
    "DESCRIBE_CLIENT_QUOTAS",
    "AlterClientQuotas",
    "ALTER_CLIENT_QUOTAS",
    "DescribeUserScramCredentials",
    "DESCRIBE_USER_SCRAM_CREDENTIALS",
    "AlterUserScramCredentials",
    "ALTER_USER_SCRAM_CREDENTIALS",
    "Vote",
    "VOTE",
    "BeginQuorumEpoch",
    "BEGIN_QUORUM_EPOCH",
    "EndQuorumEpoch",
    "END_QUORUM_EPOCH",
    "DescribeQuorum",
    "DESCRIBE_QUORUM",
    "AlterPartition",
    "ALTER_PARTITION",
    "UpdateFeatures",
    "UPDATE_FEATURES",
    "Envelope",
    "ENVELOPE",
    "FetchSnapshot",
    "FETCH_SNAPSHOT",
    "DescribeCluster",
    "DESCRIBE_CLUSTER",
    "DescribeProducers",
    "DESCRIBE_PRODUCERS",
    "BrokerRegistration",
    "BROKER_REGISTRATION",
    "BrokerHeartbeat",
    "BROKER_HEARTBEAT",
    "UnregisterBroker",
    "UNREGISTER_BROKER",
    "DescribeTransactions",
    "DESCRIBE_TRANSACTIONS",
    "ListTransactions",
    "LIST_TRANSACTIONS",
    "AllocateProducerIds",
    "ALLOCATE_PRODUCER_IDS",
    "ConsumerGroupHeartbeat",
    "CONSUMER_GROUP_HEARTBEAT",
    "ConsumerGroupDescribe",
    "CONSUMER_GROUP_DESCRIBE",
    "ControllerRegistration",
    "CONTROLLER_REGISTRATION",
    "GetTelemetrySubscriptions",
    "GET_TELEMETRY_SUBSCRIPTIONS",
    "PushTelemetry",
    "PUSH_TELEMETRY",
    "AssignReplicasToDirs",
    "ASSIGN_REPLICAS_TO_DIRS",
    "ListConfigResources",
    "LIST_CONFIG_RESOURCES",
    "DescribeTopicPartitions",
    "DESCRIBE_TOPIC_PARTITIONS",
    "ShareGroupHeartbeat",
    "SHARE_GROUP_HEARTBEAT",
    "ShareGroupDescribe",
    "SHARE_GROUP_DESCRIBE",
    "ShareFetch",
    "SHARE_FETCH",
    "ShareAcknowledge",
    "SHARE_ACKNOWLEDGE",
    "AddRaftVoter",
    "ADD_RAFT_VOTER",
    "RemoveRaftVoter",
    "REMOVE_RAFT_VOTER",
    "UpdateRaftVoter",
    "UPDATE_RAFT_VOTER",
    "InitializeShareGroupState",
    "INITIALIZE_SHARE_GROUP_STATE",
    "ReadShareGroupState",
    "READ_SHARE_GROUP_STATE",
    "WriteShareGroupState",
    "WRITE_SHARE_GROUP_STATE",
    "DeleteShareGroupState",
    "DELETE_SHARE_GROUP_STATE",
    "ReadShareGroupStateSummary",
    "READ_SHARE_GROUP_STATE_SUMMARY",
    "StreamsGroupHeartbeat",
    "STREAMS_GROUP_HEARTBEAT",
    "StreamsGroupDescribe",
    "STREAMS_GROUP_DESCRIBE",
    "DescribeShareGroupOffsets",
    "DESCRIBE_SHARE_GROUP_OFFSETS",
    "AlterShareGroupOffsets",
    "ALTER_SHARE_GROUP_OFFSETS",
    "DeleteShareGroupOffsets",
    "DELETE_SHARE_GROUP_OFFSETS",
    "StreamsGroupTopologyDescriptionUpdate",
    "STREAMS_GROUP_TOPOLOGY_DESCRIPTION_UPDATE",
    "UnregisterController",
    "UNREGISTER_CONTROLLER",
    "DescribeTransactionState",
    "DESCRIBE_TRANSACTION_STATE",
]
"""Name of an API as Kafka's documentation writes it, or as in `API`; a test compares them."""

GivenApi: TypeAlias = ApiKey | ApiName
"""An API, itself or by its name."""
GivenApis: TypeAlias = GivenApi | Collection[GivenApi]
"""An API, or any of several."""

_APIS: Final[Mapping[str, ApiKey]] = {plain_name(key.name): key for key in ApiKey}


def api_of(name: str) -> ApiKey:
    """Return an API by its name, in any case, with or without underscores.

    Raises:
        ValueError: there is none; the text has the nearest name.

    """
    found = _APIS.get(plain_name(name))
    if found is None:
        titles = {plain: key.title for plain, key in _APIS.items()}
        raise ValueError(f"Kafka has no API {name!r}{nearest_name(name, titles)}")
    return found


def apis_of(given: GivenApis) -> ApiKey | list[ApiKey]:
    """Return the one API, or a list of those, that are given themselves or by name.

    Raises:
        ValueError: there is none of such a name or number, or the collection is empty.

    """
    if isinstance(given, str | int):
        return _one(given)
    apis = [_one(each) for each in given]
    if not apis:
        raise ValueError("api is an empty collection, which selects no call")
    return apis


def _one(given: GivenApi) -> ApiKey:
    if isinstance(given, str):
        return api_of(given)
    try:
        return ApiKey(given)
    except ValueError:
        raise ValueError(f"Kafka has no API with the number {given}") from None
