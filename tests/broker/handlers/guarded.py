"""Clusters with an authorizer, and rights that are taken from every client."""

from collections.abc import Mapping

from mockbroker.broker.call import ANONYMOUS
from mockbroker.state.release.options import Options
from mockbroker.state.security.acl import (
    CLUSTER_NAME,
    Acl,
    AclOperation,
    AclResource,
    PatternType,
    Permission,
)
from tests.support.in_process import Brokers


def guarded(release: str = "4.4") -> Mapping[str, str]:
    """Return configs with which clients have every right that no ACL takes from them."""
    return {
        "authorizer.class.name": Options.for_release(release).security.authorizers[0],
        "allow.everyone.if.no.acl.found": "true",
    }


GUARDED = guarded()
"""The configs of the newest release."""


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
