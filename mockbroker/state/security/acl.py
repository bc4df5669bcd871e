"""ACLs and filters of ACLs (KIP-11, KIP-290), with Kafka's codes."""

from enum import IntEnum
from typing import Final, NamedTuple

WILDCARD: Final = "*"
"""Literal name that stands for each resource of a type, and host that stands for each host."""
WILDCARD_PRINCIPAL: Final = "User:*"
CLUSTER_NAME: Final = "kafka-cluster"
"""The only name of a resource of the type CLUSTER."""


class AclResource(IntEnum):
    """Kafka's `ResourceType`."""

    UNKNOWN = 0
    ANY = 1
    TOPIC = 2
    GROUP = 3
    CLUSTER = 4
    TRANSACTIONAL_ID = 5
    DELEGATION_TOKEN = 6
    USER = 7


class PatternType(IntEnum):
    """Kafka's `PatternType`: the meaning of a resource name."""

    UNKNOWN = 0
    ANY = 1
    MATCH = 2
    LITERAL = 3
    PREFIXED = 4


class AclOperation(IntEnum):
    """Kafka's `AclOperation`."""

    UNKNOWN = 0
    ANY = 1
    ALL = 2
    READ = 3
    WRITE = 4
    CREATE = 5
    DELETE = 6
    ALTER = 7
    DESCRIBE = 8
    CLUSTER_ACTION = 9
    DESCRIBE_CONFIGS = 10
    ALTER_CONFIGS = 11
    IDEMPOTENT_WRITE = 12
    CREATE_TOKENS = 13
    DESCRIBE_TOKENS = 14
    TWO_PHASE_COMMIT = 15


class Permission(IntEnum):
    """Kafka's `AclPermissionType`."""

    UNKNOWN = 0
    ANY = 1
    DENY = 2
    ALLOW = 3


class Acl(NamedTuple):
    """Permission of a principal, from a host, to do an operation on the resources of a pattern.

    Kafka calls it `AclBinding`. The order of ACLs is that of their fields.
    """

    resource_type: AclResource
    resource_name: str
    pattern_type: PatternType
    principal: str
    host: str
    operation: AclOperation
    permission: Permission


class AclFilter(NamedTuple):
    """Kafka's `AclBindingFilter`: None and ANY match everything."""

    resource_type: AclResource = AclResource.ANY
    resource_name: str | None = None
    pattern_type: PatternType = PatternType.ANY
    principal: str | None = None
    host: str | None = None
    operation: AclOperation = AclOperation.ANY
    permission: Permission = Permission.ANY

    def matches(self, acl: Acl) -> bool:
        """Return whether an ACL is among those that the filter selects."""
        return (
            self.resource_type in {AclResource.ANY, acl.resource_type}
            and self.principal in {None, acl.principal}
            and self.host in {None, acl.host}
            and self.operation in {AclOperation.ANY, acl.operation}
            and self.permission in {Permission.ANY, acl.permission}
            and self._matches_pattern(acl)
        )

    def _matches_pattern(self, acl: Acl) -> bool:
        name = self.resource_name
        if self.pattern_type not in {PatternType.ANY, PatternType.MATCH, acl.pattern_type}:
            return False
        if name is None or name == acl.resource_name:
            return True
        if self.pattern_type is not PatternType.MATCH:
            return False
        if acl.pattern_type is PatternType.PREFIXED:
            return name.startswith(acl.resource_name)
        return acl.resource_name == WILDCARD
