"""Handle of the ACLs of a cluster: lists them, and gives rights and takes them."""

from collections.abc import Callable
from typing import Final, TypeVar

from mockbroker.control.cluster_control import ClusterControl, action
from mockbroker.state.cluster_state import ClusterState
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

T = TypeVar("T")

_OPERATIONS: Final = tuple(each for each in AclOperation if each > AclOperation.ANY)


class AclsHandle:
    """The ACLs of a cluster with an authorizer; a change applies to the next request.

    A method for one resource takes its name as `topic`, `group` or `transactional_id`, or
    `on_cluster=True`. `*` is the name of all; with `prefixed=True` a name stands for all that begin
    with it.

    Raises:
        RuntimeError: by any of its methods, the cluster has no authorizer.

    """

    def __init__(self, control: ClusterControl) -> None:
        """Take the cluster's control."""
        self._control = control

    def all(self) -> list[Acl]:
        """Return all ACLs, sorted."""
        return self._control.read(lambda cluster, _now_ms: _store(cluster).matching(AclFilter()))

    @action
    def allow(
        self,
        operation: str,
        *,
        topic: str | None = None,
        group: str | None = None,
        transactional_id: str | None = None,
        on_cluster: bool = False,
        prefixed: bool = False,
        principal: str = WILDCARD_PRINCIPAL,
        host: str = WILDCARD,
    ) -> Acl:
        """Add an ACL that allows an operation such as `read` or `idempotent_write`, and return it.

        Raises:
            ValueError: there is no such operation, not exactly one resource is named, or the
                release has no ACLs for prefixes.

        """
        kind, name = _resource(topic, group, transactional_id, on_cluster)
        pattern = _pattern_type(is_prefixed=prefixed)
        acl = Acl(kind, name, pattern, principal, host, _operation(operation), Permission.ALLOW)
        return self._add(acl)

    @action
    def deny(
        self,
        operation: str,
        *,
        topic: str | None = None,
        group: str | None = None,
        transactional_id: str | None = None,
        on_cluster: bool = False,
        prefixed: bool = False,
        principal: str = WILDCARD_PRINCIPAL,
        host: str = WILDCARD,
    ) -> Acl:
        """Add an ACL that denies an operation, which wins over each that allows it; return it.

        Raises:
            ValueError: there is no such operation, not exactly one resource is named, or the
                release has no ACLs for prefixes.

        """
        kind, name = _resource(topic, group, transactional_id, on_cluster)
        pattern = _pattern_type(is_prefixed=prefixed)
        acl = Acl(kind, name, pattern, principal, host, _operation(operation), Permission.DENY)
        return self._add(acl)

    @action
    def revoke(self, acl: Acl) -> None:
        """Remove an ACL.

        Raises:
            LookupError: the cluster does not have it.

        """

        def change(acls: AclStore) -> list[Acl]:
            return acls.remove(AclFilter(*acl))

        if not self._change(change):
            raise LookupError(f"the cluster does not have {acl}")

    @action
    def revoke_all(self) -> list[Acl]:
        """Remove all ACLs, and return them."""
        return self._change(lambda acls: acls.remove(AclFilter()))

    def _add(self, acl: Acl) -> Acl:
        def add(cluster: ClusterState, _now_ms: int) -> None:
            acls = _store(cluster)
            options = cluster.options
            if acl.pattern_type is PatternType.PREFIXED and not options.security.acls_have_prefixes:
                raise ValueError(f"Kafka {options.release} has no ACLs for prefixes")
            acls.add(acl)

        self._control.change(add)
        return acl

    def _change(self, change: Callable[[AclStore], T]) -> T:
        return self._control.change(lambda cluster, _now_ms: change(_store(cluster)))


def _store(cluster: ClusterState) -> AclStore:
    if cluster.authorizer is None:
        raise RuntimeError("the cluster has no authorizer: set `authorizer.class.name`")
    return cluster.authorizer.acls


def _operation(name: str) -> AclOperation:
    for each in _OPERATIONS:
        if each.name == name.upper():
            return each
    listed = ", ".join(each.name.lower() for each in _OPERATIONS)
    raise ValueError(f"no operation is named {name!r}; there are {listed}")


def _pattern_type(*, is_prefixed: bool) -> PatternType:
    return PatternType.PREFIXED if is_prefixed else PatternType.LITERAL


def _resource(
    topic: str | None, group: str | None, transactional_id: str | None, on_cluster: bool
) -> tuple[AclResource, str]:
    named = [
        (kind, name)
        for kind, name in (
            (AclResource.TOPIC, topic),
            (AclResource.GROUP, group),
            (AclResource.TRANSACTIONAL_ID, transactional_id),
            (AclResource.CLUSTER, CLUSTER_NAME if on_cluster else None),
        )
        if name
    ]
    if len(named) != 1:
        raise ValueError("name one topic, group or transactional_id, or set on_cluster")
    return named[0]
