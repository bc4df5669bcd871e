"""Authorizer that decides by ACLs, as those of Kafka do.

They are `StandardAuthorizer`, `AclAuthorizer` and `SimpleAclAuthorizer`, whose decisions are equal.
"""

from collections.abc import Iterable
from typing import Final

from mockbroker.state.security.acl import (
    CLUSTER_NAME,
    WILDCARD,
    WILDCARD_PRINCIPAL,
    Acl,
    AclFilter,
    AclOperation,
    AclResource,
    PatternType,
    Permission,
)
from mockbroker.state.security.acl_store import AclStore

_ALLOWED_BY: Final = {
    operation: frozenset({operation, AclOperation.ALL}) for operation in AclOperation
} | {
    AclOperation.DESCRIBE: frozenset(
        {
            AclOperation.DESCRIBE,
            AclOperation.READ,
            AclOperation.WRITE,
            AclOperation.DELETE,
            AclOperation.ALTER,
            AclOperation.ALL,
        }
    ),
    AclOperation.DESCRIBE_CONFIGS: frozenset(
        {AclOperation.DESCRIBE_CONFIGS, AclOperation.ALTER_CONFIGS, AclOperation.ALL}
    ),
}
"""Operations in an allowing ACL that imply an operation; a denying one implies no other."""
_SOME_RESOURCE: Final = "hardcode"
"""Name by which Kafka asks whether resources without ACLs are allowed."""


class Authorizer:
    """Decides which principal may do an operation on a resource.

    A denying ACL wins over an allowing one. A resource to which no ACL applies at all is allowed to
    everybody only if the cluster says so; super users may do everything.
    """

    def __init__(
        self, super_users: Iterable[str] = (), *, allows_without_acl: bool = False
    ) -> None:
        """Create an authorizer without ACLs (`super.users`, `allow.everyone.if.no.acl.found`)."""
        self.acls: Final = AclStore()
        self.super_users: Final = frozenset(super_users)
        self.allows_without_acl: Final = allows_without_acl

    def allows(
        self,
        principal: str,
        host: str,
        operation: AclOperation,
        resource: tuple[AclResource, str],
    ) -> bool:
        """Return whether a principal, from a host such as `127.0.0.1`, may do an operation.

        The name of the cluster as a resource may be left empty.
        """
        if principal in self.super_users:
            return True
        allowing = _ALLOWED_BY[operation]
        has_acls = is_allowed = False
        kind, name = resource
        if kind is AclResource.CLUSTER:
            name = CLUSTER_NAME
        for acl in self.acls.of_resource(kind, name):
            has_acls = True
            if acl.principal not in {principal, WILDCARD_PRINCIPAL}:
                continue
            if acl.host not in {host, WILDCARD}:
                continue
            if acl.permission is Permission.ALLOW:
                is_allowed = is_allowed or acl.operation in allowing
            elif acl.operation in {operation, AclOperation.ALL}:
                return False
        return is_allowed if has_acls else self.allows_without_acl

    def allows_some(
        self, principal: str, host: str, operation: AclOperation, resource_type: AclResource
    ) -> bool:
        """Return whether an operation is allowed on at least one resource of a type (KIP-679)."""
        if self.allows(principal, host, operation, (resource_type, _SOME_RESOURCE)):
            return True
        applying = [
            acl
            for acl in self.acls.matching(AclFilter(resource_type=resource_type))
            if acl.principal in {principal, WILDCARD_PRINCIPAL}
            and acl.host in {host, WILDCARD}
            and acl.operation in {operation, AclOperation.ALL}
        ]
        denying = {_pattern(acl) for acl in applying if acl.permission is Permission.DENY}
        if (PatternType.LITERAL, WILDCARD) in denying:
            return False
        return any(
            not _is_dominated(acl, denying)
            for acl in applying
            if acl.permission is Permission.ALLOW
        )


def _pattern(acl: Acl) -> tuple[PatternType, str]:
    return acl.pattern_type, acl.resource_name


def _is_dominated(acl: Acl, denying: set[tuple[PatternType, str]]) -> bool:
    """Return whether denying patterns cover all that an allowing ACL covers."""
    kind, name = _pattern(acl)
    if kind is PatternType.LITERAL and (name == WILDCARD or (kind, name) in denying):
        return name != WILDCARD
    return any((PatternType.PREFIXED, name[:end]) in denying for end in range(1, len(name) + 1))
