"""Authorized operations as bit fields: all operations if there is no authorizer."""

from typing import Final

from mockbroker.broker.call import Call
from mockbroker.state.security.acl import CLUSTER_NAME, AclOperation, AclResource

# The bits are the codes of Kafka's `AclOperation`.
_READ: Final = 1 << 3
_WRITE: Final = 1 << 4
_CREATE: Final = 1 << 5
_DELETE: Final = 1 << 6
_ALTER: Final = 1 << 7
_DESCRIBE: Final = 1 << 8
_CLUSTER_ACTION: Final = 1 << 9
_DESCRIBE_CONFIGS: Final = 1 << 10
_ALTER_CONFIGS: Final = 1 << 11
_IDEMPOTENT_WRITE: Final = 1 << 12

TOPIC_OPERATIONS: Final = (
    _READ | _WRITE | _CREATE | _DELETE | _ALTER | _DESCRIBE | _DESCRIBE_CONFIGS | _ALTER_CONFIGS
)
CLUSTER_OPERATIONS: Final = (
    _CREATE
    | _ALTER
    | _DESCRIBE
    | _CLUSTER_ACTION
    | _DESCRIBE_CONFIGS
    | _ALTER_CONFIGS
    | _IDEMPOTENT_WRITE
)


_GROUP: Final = _READ | _DELETE | _DESCRIBE


def authorized_operations(call: Call, operations: int, *, requested: bool) -> int:
    """Return the operations if the client asked for them, else the release's placeholder."""
    return operations if requested else call.cluster.options.authorized_operations_not_asked


def allowed_operations(
    call: Call, operations: int, resource_type: AclResource, name: str = CLUSTER_NAME
) -> int:
    """Restrict operations, or the placeholder for them, to those that the client has a right to.

    The operations on the cluster are none without the right to describe it.
    """
    if (
        call.service.cluster.authorizer is None
        or operations == call.cluster.options.authorized_operations_not_asked
    ):
        return operations
    if resource_type is AclResource.CLUSTER and not call.allows(
        AclOperation.DESCRIBE, AclResource.CLUSTER
    ):
        return 0
    return sum(
        1 << each
        for each in AclOperation
        if operations & (1 << each) and call.allows(each, resource_type, name)
    )


def operations_on_group(call: Call, group_id: str, *, requested: bool) -> int:
    """Return a client's operations on a group; releases with group configs have more (KIP-848)."""
    operations = _GROUP
    if call.cluster.options.offsets.groups_have_configs:
        operations |= _DESCRIBE_CONFIGS | _ALTER_CONFIGS
    shown = authorized_operations(call, operations, requested=requested)
    return allowed_operations(call, shown, AclResource.GROUP, group_id)


def operations_on_cluster(call: Call, *, requested: bool) -> int:
    """Return a client's operations on the cluster."""
    shown = authorized_operations(call, CLUSTER_OPERATIONS, requested=requested)
    return allowed_operations(call, shown, AclResource.CLUSTER)
