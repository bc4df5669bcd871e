"""Clusters with an authorizer, and rights that are taken from every client."""

from mockbroker.broker.call import ANONYMOUS
from mockbroker.state.security.acl import (
    CLUSTER_NAME,
    Acl,
    AclOperation,
    AclResource,
    PatternType,
    Permission,
)
from tests.support.in_process import Brokers

GUARDED = {
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "allow.everyone.if.no.acl.found": "true",
}
"""Configs with which clients have every right that no ACL takes from them."""


def deny(
    brokers: Brokers,
    resource_type: AclResource,
    name: str = CLUSTER_NAME,
    operation: AclOperation = AclOperation.ALL,
    *,
    permission: Permission = Permission.DENY,
) -> None:
    """Deny an operation on a resource to anonymous clients, or allow it."""
    authorizer = brokers.state.authorizer
    assert authorizer is not None
    literal = PatternType.LITERAL
    authorizer.acls.add(Acl(resource_type, name, literal, ANONYMOUS, "*", operation, permission))
