"""The store keeps each ACL once, and finds those of a resource and of a filter."""

from mockbroker.state.security.acl import (
    Acl,
    AclFilter,
    AclOperation,
    AclResource,
    PatternType,
    Permission,
)
from mockbroker.state.security.acl_store import AclStore


def acl(name: str, pattern_type: PatternType = PatternType.LITERAL) -> Acl:
    return Acl(
        AclResource.TOPIC,
        name,
        pattern_type,
        "User:alice",
        "*",
        AclOperation.READ,
        Permission.ALLOW,
    )


EXACT, PREFIX, EVERY = acl("orders"), acl("ord", PatternType.PREFIXED), acl("*")


def store_of(*acls: Acl) -> AclStore:
    store = AclStore()
    for each in acls:
        assert store.add(each)
    return store


def test_an_acl_is_stored_once() -> None:
    store = store_of(EXACT)
    assert not store.add(EXACT)
    assert store.as_text() == [f"acl {EXACT}"]


def test_exact_prefixed_and_wildcard_patterns_match_a_resource() -> None:
    store = store_of(EXACT, PREFIX, EVERY, acl("other"), acl("orders2", PatternType.PREFIXED))
    assert set(store.of_resource(AclResource.TOPIC, "orders")) == {EXACT, PREFIX, EVERY}
    assert set(store.of_resource(AclResource.GROUP, "orders")) == set()


def test_removed_acls_match_nothing_any_more() -> None:
    store = store_of(EXACT, PREFIX, EVERY)
    assert store.remove(AclFilter(resource_name="orders", pattern_type=PatternType.MATCH)) == [
        EVERY,
        PREFIX,
        EXACT,
    ]
    assert not list(store.of_resource(AclResource.TOPIC, "orders"))
    assert not store.as_text()


def test_a_filter_selects_by_each_of_its_fields() -> None:
    store = store_of(EXACT, PREFIX, EVERY)
    assert store.matching(AclFilter(pattern_type=PatternType.PREFIXED)) == [PREFIX]
    assert store.matching(AclFilter(resource_name="*")) == [EVERY]
    assert store.matching(AclFilter(resource_name="ord", pattern_type=PatternType.LITERAL)) == []
    for nothing in (
        AclFilter(resource_type=AclResource.GROUP),
        AclFilter(principal="User:bob"),
        AclFilter(host="10.0.0.1"),
        AclFilter(operation=AclOperation.WRITE),
        AclFilter(permission=Permission.DENY),
    ):
        assert store.matching(nothing) == []
