"""Rights that each API requires: for the request as a whole, and for each of its items.

Fetch, Metadata and the like, whose handlers decide by item themselves, are in `DECIDED_BY_HANDLER`.
An API that is in none of the tables is not served by a cluster with an authorizer.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from mockbroker.broker.authorization.topic_rights import creates_by_name
from mockbroker.broker.call import Call
from mockbroker.broker.handlers.newer_groups import is_enabled
from mockbroker.protocol.api_keys import ApiKey
from mockbroker.protocol.errors import ErrorCode
from mockbroker.protocol.records.batch import HEADER_BYTES, MAGIC_V2, parse_batch_header
from mockbroker.protocol.types import NO_PRODUCER_ID
from mockbroker.state.security.acl import CLUSTER_NAME, AclOperation, AclResource

A, Op, Kind = ApiKey, AclOperation, AclResource

REFUSALS: Final[Mapping[AclResource, ErrorCode]] = {
    Kind.TOPIC: ErrorCode.TOPIC_AUTHORIZATION_FAILED,
    Kind.GROUP: ErrorCode.GROUP_AUTHORIZATION_FAILED,
    Kind.CLUSTER: ErrorCode.CLUSTER_AUTHORIZATION_FAILED,
    Kind.TRANSACTIONAL_ID: ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
}
"""Error for a denied operation, by the type of the resource."""


class Right(NamedTuple):
    """Operation on a resource that the request, or an item of it, names."""

    operation: AclOperation
    resource_type: AclResource
    named_by: str = ""
    """The field of the request, or the selector of its items; empty for the cluster."""
    or_on_cluster: AclOperation | None = None
    """An operation on the cluster that includes the right."""
    applies: Callable[[Any, Call], bool] | None = None
    """Whether a request needs the right; None: always."""

    def is_held(self, call: Call, name: str) -> bool:
        """Return whether the client has the right to a resource."""
        more = self.or_on_cluster
        if more is not None and call.allows(more, Kind.CLUSTER):
            return True
        return call.allows(self.operation, self.resource_type, name)

    def name_in(self, request: Any) -> str:
        """Return the name of the resource in a request."""
        return getattr(request, self.named_by) or "" if self.named_by else CLUSTER_NAME


def _on_cluster(operation: AclOperation) -> tuple[Right, ...]:
    return (Right(operation, Kind.CLUSTER),)


def _on_group(operation: AclOperation) -> tuple[Right, ...]:
    return (Right(operation, Kind.GROUP, "group_id"),)


def _of_newer_groups(operation: AclOperation, named_by: str = "group_id") -> tuple[Right, ...]:
    """Require a right to a group of a protocol that is on; otherwise its handler refuses."""
    return (Right(operation, Kind.GROUP, named_by, applies=_is_enabled),)


def _is_enabled(_request: Any, call: Call) -> bool:
    return is_enabled(call)


def _names_share_group(request: Any, call: Call) -> bool:
    return request.group_id is not None and is_enabled(call)


def _is_transactional(request: Any, _call: Call) -> bool:
    return request.transactional_id is not None


def _writes_in_transaction(request: Any, _call: Call) -> bool:
    """Return whether a Produce has a transactional batch; its id alone needs no right."""
    return any(
        _is_of_transaction(partition.records)
        for topic in request.topic_data
        for partition in topic.partition_data
    )


def _writes_idempotently(request: Any, call: Call) -> bool:
    """Return whether a Produce has the batch of an idempotent producer, which needs a right."""
    return (
        not includes_idempotence(call)
        and call.api_version >= call.cluster.options.security.first_idempotent_produce
        and not _writes_in_transaction(request, call)
        and any(
            _has_producer_id(partition.records)
            for topic in request.topic_data
            for partition in topic.partition_data
        )
    )


def includes_idempotence(call: Call) -> bool:
    """Return whether a right to write to some topic includes idempotent writes (KIP-679)."""
    return call.cluster.options.security.topic_rights_include_idempotence


def _has_producer_id(records: Any) -> bool:
    if records is None or len(records) < HEADER_BYTES:
        return False
    header = parse_batch_header(records)
    return bool(header.magic == MAGIC_V2 and header.producer_id != NO_PRODUCER_ID)


def _is_of_transaction(records: Any) -> bool:
    if records is None or len(records) < HEADER_BYTES:
        return False
    header = parse_batch_header(records)
    return bool(header.magic == MAGIC_V2 and header.is_transactional)


def _is_served(_request: Any, call: Call) -> bool:
    """Return whether a Produce is handled, and not only advertised (KAFKA-18659)."""
    closes = call.cluster.options.produce.legacy_versions_close_connection
    return not closes or call.api_version >= _FIRST_WITH_BATCHES


def _commits(_request: Any, call: Call) -> bool:
    """Return whether a release has a store for the offsets of the first version."""
    return call.api_version > 0 or not call.cluster.options.offsets.first_version_is_refused


def _has_one_group(_request: Any, call: Call) -> bool:
    return call.api_version < _FIRST_WITH_GROUPS


def _has_one_key(key_type: int) -> Callable[[Any, Call], bool]:
    def has(request: Any, call: Call) -> bool:
        return bool(request.key_type == key_type) and call.api_version < _FIRST_WITH_KEYS

    return has


def _has_keys(key_type: int) -> Callable[[Any, Call], bool]:
    def has(request: Any, call: Call) -> bool:
        return bool(request.key_type == key_type) and call.api_version >= _FIRST_WITH_KEYS

    return has


def _is_of_share_group(request: Any, _call: Call) -> bool:
    return bool(request.key_type == _SHARE_KEY)


def _is_from_broker(_request: Any, call: Call) -> bool:
    return call.api_version >= _FIRST_FROM_BROKERS


def _is_from_client(_request: Any, call: Call) -> bool:
    return call.api_version < _FIRST_FROM_BROKERS


def _takes_part_in_two_phases(request: Any, _call: Call) -> bool:
    return bool(request.enable2_pc)


def _cluster_right_creates(_request: Any, call: Call) -> bool:
    return not creates_by_name(call)


def _topic_right_creates(_request: Any, call: Call) -> bool:
    return creates_by_name(call)


def _epochs_need_cluster_action(_request: Any, call: Call) -> bool:
    return call.cluster.options.security.cluster_right_reads_epochs


def _markers_need_cluster_action(_request: Any, call: Call) -> bool:
    return call.cluster.options.security.markers_need_cluster_action


def _markers_may_be_altered(_request: Any, call: Call) -> bool:
    return not call.cluster.options.security.markers_need_cluster_action


_FIRST_WITH_BATCHES: Final = 3
_FIRST_WITH_GROUPS: Final = 8
_FIRST_WITH_KEYS: Final = 4
_FIRST_FROM_BROKERS: Final = 4
_GROUP_KEY, _TRANSACTION_KEY, _SHARE_KEY = 0, 1, 2

WHOLE: Final[Mapping[ApiKey, tuple[Right, ...]]] = {
    A.PRODUCE: (
        Right(Op.WRITE, Kind.TRANSACTIONAL_ID, "transactional_id", applies=_writes_in_transaction),
        Right(Op.IDEMPOTENT_WRITE, Kind.CLUSTER, applies=_writes_idempotently),
    ),
    A.OFFSET_FOR_LEADER_EPOCH: (
        Right(Op.CLUSTER_ACTION, Kind.CLUSTER, applies=_epochs_need_cluster_action),
    ),
    A.CREATE_TOPICS: (Right(Op.CREATE, Kind.CLUSTER, applies=_cluster_right_creates),),
    A.OFFSET_COMMIT: _on_group(Op.READ),
    A.OFFSET_FETCH: (Right(Op.DESCRIBE, Kind.GROUP, "group_id", applies=_has_one_group),),
    A.FIND_COORDINATOR: (
        Right(Op.DESCRIBE, Kind.GROUP, "key", applies=_has_one_key(_GROUP_KEY)),
        Right(Op.DESCRIBE, Kind.TRANSACTIONAL_ID, "key", applies=_has_one_key(_TRANSACTION_KEY)),
        Right(Op.CLUSTER_ACTION, Kind.CLUSTER, applies=_is_of_share_group),
    ),
    A.JOIN_GROUP: _on_group(Op.READ),
    A.HEARTBEAT: _on_group(Op.READ),
    A.LEAVE_GROUP: _on_group(Op.READ),
    A.INIT_PRODUCER_ID: (
        Right(Op.WRITE, Kind.TRANSACTIONAL_ID, "transactional_id", applies=_is_transactional),
        Right(
            Op.TWO_PHASE_COMMIT,
            Kind.TRANSACTIONAL_ID,
            "transactional_id",
            applies=_takes_part_in_two_phases,
        ),
    ),
    A.ADD_PARTITIONS_TO_TXN: (
        Right(Op.CLUSTER_ACTION, Kind.CLUSTER, applies=_is_from_broker),
        Right(
            Op.WRITE,
            Kind.TRANSACTIONAL_ID,
            "v3_and_below_transactional_id",
            applies=_is_from_client,
        ),
    ),
    A.ADD_OFFSETS_TO_TXN: (
        Right(Op.WRITE, Kind.TRANSACTIONAL_ID, "transactional_id"),
        Right(Op.READ, Kind.GROUP, "group_id"),
    ),
    A.END_TXN: (Right(Op.WRITE, Kind.TRANSACTIONAL_ID, "transactional_id"),),
    A.WRITE_TXN_MARKERS: (
        Right(Op.CLUSTER_ACTION, Kind.CLUSTER, applies=_markers_need_cluster_action),
        Right(
            Op.CLUSTER_ACTION,
            Kind.CLUSTER,
            or_on_cluster=Op.ALTER,
            applies=_markers_may_be_altered,
        ),
    ),
    A.TXN_OFFSET_COMMIT: (
        Right(Op.WRITE, Kind.TRANSACTIONAL_ID, "transactional_id"),
        Right(Op.READ, Kind.GROUP, "group_id"),
    ),
    A.DESCRIBE_ACLS: _on_cluster(Op.DESCRIBE),
    A.CREATE_ACLS: _on_cluster(Op.ALTER),
    A.DELETE_ACLS: _on_cluster(Op.ALTER),
    A.ALTER_REPLICA_LOG_DIRS: _on_cluster(Op.ALTER),
    A.DESCRIBE_LOG_DIRS: _on_cluster(Op.DESCRIBE),
    A.ELECT_LEADERS: _on_cluster(Op.ALTER),
    A.ALTER_PARTITION_REASSIGNMENTS: _on_cluster(Op.ALTER),
    A.DESCRIBE_TRANSACTION_STATE: _on_cluster(Op.CLUSTER_ACTION),
    A.LIST_PARTITION_REASSIGNMENTS: _on_cluster(Op.DESCRIBE),
    A.OFFSET_DELETE: _on_group(Op.DELETE),
    A.DESCRIBE_CLIENT_QUOTAS: _on_cluster(Op.DESCRIBE_CONFIGS),
    A.ALTER_CLIENT_QUOTAS: _on_cluster(Op.ALTER_CONFIGS),
    A.DESCRIBE_USER_SCRAM_CREDENTIALS: _on_cluster(Op.DESCRIBE),
    A.ALTER_USER_SCRAM_CREDENTIALS: _on_cluster(Op.ALTER),
    A.DESCRIBE_QUORUM: _on_cluster(Op.DESCRIBE),
    A.UPDATE_FEATURES: _on_cluster(Op.ALTER),
    A.UNREGISTER_BROKER: _on_cluster(Op.ALTER),
    A.UNREGISTER_CONTROLLER: _on_cluster(Op.ALTER),
    A.CONSUMER_GROUP_HEARTBEAT: _of_newer_groups(Op.READ),
    A.LIST_CONFIG_RESOURCES: _on_cluster(Op.DESCRIBE_CONFIGS),
    A.SHARE_GROUP_HEARTBEAT: _of_newer_groups(Op.READ),
    A.SHARE_FETCH: (Right(Op.READ, Kind.GROUP, "group_id", applies=_names_share_group),),
    A.SHARE_ACKNOWLEDGE: (Right(Op.READ, Kind.GROUP, "group_id", applies=_names_share_group),),
    A.ADD_RAFT_VOTER: _on_cluster(Op.ALTER),
    A.REMOVE_RAFT_VOTER: _on_cluster(Op.ALTER),
    A.INITIALIZE_SHARE_GROUP_STATE: _on_cluster(Op.CLUSTER_ACTION),
    A.READ_SHARE_GROUP_STATE: _on_cluster(Op.CLUSTER_ACTION),
    A.WRITE_SHARE_GROUP_STATE: _on_cluster(Op.CLUSTER_ACTION),
    A.DELETE_SHARE_GROUP_STATE: _on_cluster(Op.CLUSTER_ACTION),
    A.READ_SHARE_GROUP_STATE_SUMMARY: _on_cluster(Op.CLUSTER_ACTION),
    A.STREAMS_GROUP_HEARTBEAT: _of_newer_groups(Op.READ),
    A.STREAMS_GROUP_TOPOLOGY_DESCRIPTION_UPDATE: _of_newer_groups(Op.READ),
    A.ALTER_SHARE_GROUP_OFFSETS: _of_newer_groups(Op.READ),
    A.DELETE_SHARE_GROUP_OFFSETS: _of_newer_groups(Op.DELETE),
}
"""Rights to a request as a whole, in the order in which Kafka checks them."""

ITEMS: Final[Mapping[ApiKey, tuple[Right, ...]]] = {
    A.PRODUCE: (Right(Op.WRITE, Kind.TOPIC, "topic", applies=_is_served),),
    A.LIST_OFFSETS: (Right(Op.DESCRIBE, Kind.TOPIC, "topic"),),
    A.OFFSET_COMMIT: (Right(Op.READ, Kind.TOPIC, "topic", applies=_commits),),
    A.OFFSET_FETCH: (
        Right(Op.DESCRIBE, Kind.GROUP, "group"),
        Right(Op.DESCRIBE, Kind.TOPIC, "topic"),
    ),
    A.FIND_COORDINATOR: (
        Right(Op.DESCRIBE, Kind.GROUP, "group", applies=_has_keys(_GROUP_KEY)),
        Right(
            Op.DESCRIBE,
            Kind.TRANSACTIONAL_ID,
            "transactional_id",
            applies=_has_keys(_TRANSACTION_KEY),
        ),
    ),
    A.DESCRIBE_GROUPS: (Right(Op.DESCRIBE, Kind.GROUP, "group"),),
    A.DELETE_RECORDS: (Right(Op.DELETE, Kind.TOPIC, "topic"),),
    A.OFFSET_FOR_LEADER_EPOCH: (
        Right(Op.DESCRIBE, Kind.TOPIC, "topic", or_on_cluster=Op.CLUSTER_ACTION),
    ),
    A.TXN_OFFSET_COMMIT: (Right(Op.READ, Kind.TOPIC, "topic"),),
    A.CREATE_TOPICS: (
        Right(
            Op.CREATE,
            Kind.TOPIC,
            "topic",
            or_on_cluster=Op.CREATE,
            applies=_topic_right_creates,
        ),
    ),
    A.CREATE_PARTITIONS: (Right(Op.ALTER, Kind.TOPIC, "topic"),),
    A.DELETE_GROUPS: (Right(Op.DELETE, Kind.GROUP, "group"),),
    A.OFFSET_DELETE: (Right(Op.READ, Kind.TOPIC, "topic"),),
    A.DESCRIBE_PRODUCERS: (Right(Op.READ, Kind.TOPIC, "topic"),),
    A.CONSUMER_GROUP_DESCRIBE: _of_newer_groups(Op.DESCRIBE, "group"),
    A.SHARE_GROUP_DESCRIBE: _of_newer_groups(Op.DESCRIBE, "group"),
    A.STREAMS_GROUP_DESCRIBE: _of_newer_groups(Op.DESCRIBE, "group"),
    A.DESCRIBE_TRANSACTIONS: (Right(Op.DESCRIBE, Kind.TRANSACTIONAL_ID, "transactional_id"),),
}
"""Rights to each item of a request; the others are handled without the refused ones."""

ON_CONFIGS: Final[Mapping[ApiKey, AclOperation]] = {
    A.DESCRIBE_CONFIGS: Op.DESCRIBE_CONFIGS,
    A.ALTER_CONFIGS: Op.ALTER_CONFIGS,
    A.INCREMENTAL_ALTER_CONFIGS: Op.ALTER_CONFIGS,
}
"""Operation on each resource whose configs a request names."""

OWNER_OF_CONFIGS: Final[Mapping[int, AclResource]] = {
    2: Kind.TOPIC,
    4: Kind.CLUSTER,
    8: Kind.CLUSTER,
    16: Kind.CLUSTER,
    32: Kind.GROUP,
}
"""Resource type in ACLs for each type of a resource with configs."""

DECIDED_BY_HANDLER: Final = frozenset(
    {
        A.FETCH,
        A.METADATA,
        A.SYNC_GROUP,
        A.LIST_GROUPS,
        A.DELETE_TOPICS,
        A.DESCRIBE_CLUSTER,
        A.LIST_TRANSACTIONS,
        A.DESCRIBE_TOPIC_PARTITIONS,
        A.DESCRIBE_SHARE_GROUP_OFFSETS,
    }
)
"""APIs whose handlers ask for rights themselves."""

NEEDS_NO_RIGHT: Final = frozenset(
    {
        A.SASL_HANDSHAKE,
        A.SASL_AUTHENTICATE,
        A.API_VERSIONS,
        A.CREATE_DELEGATION_TOKEN,
        A.RENEW_DELEGATION_TOKEN,
        A.EXPIRE_DELEGATION_TOKEN,
        A.DESCRIBE_DELEGATION_TOKEN,
    }
)
"""APIs that every client may use; tokens are refused to those that have not authenticated."""

AUTHORIZED_APIS: Final = (
    frozenset({*WHOLE, *ITEMS, *ON_CONFIGS}) | DECIDED_BY_HANDLER | NEEDS_NO_RIGHT
)
"""The APIs that a cluster with an authorizer serves."""
