"""Store of ACLs, indexed by resource type, pattern and name."""

from collections.abc import Iterator
from typing import Final

from mockbroker.state.security.acl import WILDCARD, Acl, AclFilter, AclResource, PatternType

_Index = dict[tuple[AclResource, str], dict[Acl, None]]


class AclStore:
    """ACLs of a cluster, without duplicates, in the order in which they were added."""

    def __init__(self) -> None:
        """Create a store without ACLs."""
        self._acls: Final[dict[Acl, None]] = {}
        self._literal: Final[_Index] = {}
        self._prefixed: Final[_Index] = {}

    def add(self, acl: Acl) -> bool:
        """Add an ACL, and return False if it is there already."""
        if acl in self._acls:
            return False
        self._acls[acl] = None
        index = self._index_of(acl)
        index.setdefault((acl.resource_type, acl.resource_name), {})[acl] = None
        return True

    def remove(self, wanted: AclFilter) -> list[Acl]:
        """Remove the ACLs that match a filter, and return them."""
        removed = self.matching(wanted)
        for acl in removed:
            del self._acls[acl]
            index, key = self._index_of(acl), (acl.resource_type, acl.resource_name)
            del index[key][acl]
            if not index[key]:
                del index[key]
        return removed

    def matching(self, wanted: AclFilter) -> list[Acl]:
        """Return the ACLs that match a filter, sorted."""
        return sorted(acl for acl in self._acls if wanted.matches(acl))

    def of_resource(self, resource_type: AclResource, name: str) -> Iterator[Acl]:
        """Yield the ACLs whose patterns match a resource: exact, wildcard and prefixes."""
        yield from self._literal.get((resource_type, name), ())
        if name != WILDCARD:
            yield from self._literal.get((resource_type, WILDCARD), ())
        if self._prefixed:
            for end in range(len(name) + 1):
                yield from self._prefixed.get((resource_type, name[:end]), ())

    def _index_of(self, acl: Acl) -> _Index:
        return self._literal if acl.pattern_type is PatternType.LITERAL else self._prefixed

    def as_text(self) -> list[str]:
        """Return a line for each ACL."""
        return [f"acl {acl}" for acl in sorted(self._acls)]
