"""The authorizer decides as a plain reading of Kafka's rules does, for random ACLs."""

from hypothesis import given
from hypothesis import strategies as st

from mockbroker.state.security.acl import (
    Acl,
    AclOperation,
    AclResource,
    PatternType,
    Permission,
)
from mockbroker.state.security.authorizer import Authorizer

READ, WRITE, DESCRIBE = AclOperation.READ, AclOperation.WRITE, AclOperation.DESCRIBE
TOPIC = AclResource.TOPIC
HOST = "127.0.0.1"
ALICE = "User:alice"

NAMES = st.text("ab", min_size=1, max_size=3)
OPERATIONS = st.sampled_from(
    [READ, WRITE, DESCRIBE, AclOperation.DESCRIBE_CONFIGS, AclOperation.ALTER_CONFIGS]
)
ACLS = st.builds(
    Acl,
    resource_type=st.sampled_from([TOPIC, AclResource.GROUP]),
    resource_name=st.one_of(NAMES, st.just("*")),
    pattern_type=st.sampled_from([PatternType.LITERAL, PatternType.PREFIXED]),
    principal=st.sampled_from([ALICE, "User:bob", "User:*"]),
    host=st.sampled_from(["*", HOST, "10.0.0.1"]),
    operation=st.one_of(OPERATIONS, st.just(AclOperation.ALL)),
    permission=st.sampled_from([Permission.ALLOW, Permission.DENY]),
)


def acl(
    name: str = "orders",
    operation: AclOperation = READ,
    permission: Permission = Permission.ALLOW,
    *,
    pattern_type: PatternType = PatternType.LITERAL,
    host: str = "*",
) -> Acl:
    return Acl(TOPIC, name, pattern_type, ALICE, host, operation, permission)


def authorizer_of(*acls: Acl, allows_without_acl: bool = False) -> Authorizer:
    authorizer = Authorizer(["User:root"], allows_without_acl=allows_without_acl)
    for each in acls:
        authorizer.acls.add(each)
    return authorizer


def covers(acl: Acl, resource_type: AclResource, name: str) -> bool:
    if acl.resource_type != resource_type:
        return False
    if acl.pattern_type == PatternType.PREFIXED:
        return name.startswith(acl.resource_name)
    return acl.resource_name in {name, "*"}


def concerns(acl: Acl, operation: AclOperation) -> bool:
    if acl.operation in {operation, AclOperation.ALL}:
        return True
    if acl.permission == Permission.DENY:
        return False
    implied = {
        DESCRIBE: {READ, WRITE, AclOperation.DELETE, AclOperation.ALTER},
        AclOperation.DESCRIBE_CONFIGS: {AclOperation.ALTER_CONFIGS},
    }
    return acl.operation in implied.get(operation, set())


@given(
    acls=st.lists(ACLS, max_size=8),
    principal=st.sampled_from([ALICE, "User:bob", "User:root"]),
    operation=OPERATIONS,
    name=NAMES,
    allows_without_acl=st.booleans(),
)
def test_the_authorizer_decides_as_the_rules_read(
    acls: list[Acl], principal: str, operation: AclOperation, name: str, allows_without_acl: bool
) -> None:
    covering = [each for each in acls if covers(each, TOPIC, name)]
    permissions = {
        each.permission
        for each in covering
        if each.principal in {principal, "User:*"}
        and each.host in {HOST, "*"}
        and concerns(each, operation)
    }
    expected = (
        principal == "User:root"
        or (not covering and allows_without_acl)
        or permissions == {Permission.ALLOW}
    )
    authorizer = Authorizer(["User:root"], allows_without_acl=allows_without_acl)
    for each in acls:
        authorizer.acls.add(each)
    assert authorizer.allows(principal, HOST, operation, (TOPIC, name)) is expected


def test_a_denying_acl_wins_over_an_allowing_one() -> None:
    authorizer = authorizer_of(
        acl(), acl("o", AclOperation.ALL, Permission.DENY, pattern_type=PatternType.PREFIXED)
    )
    assert not authorizer.allows(ALICE, HOST, READ, (TOPIC, "orders"))


def test_reading_implies_describing_and_denied_reading_does_not() -> None:
    assert authorizer_of(acl()).allows(ALICE, HOST, DESCRIBE, (TOPIC, "orders"))
    denied = authorizer_of(
        acl(permission=Permission.DENY), acl(operation=DESCRIBE), allows_without_acl=True
    )
    assert denied.allows(ALICE, HOST, DESCRIBE, (TOPIC, "orders"))
    assert not denied.allows(ALICE, HOST, READ, (TOPIC, "orders"))


def test_an_acl_of_another_host_denies_what_is_allowed_without_acls() -> None:
    authorizer = authorizer_of(acl(host="10.0.0.1"), allows_without_acl=True)
    assert not authorizer.allows(ALICE, HOST, READ, (TOPIC, "orders"))
    assert authorizer.allows(ALICE, "10.0.0.1", READ, (TOPIC, "orders"))
    assert authorizer.allows(ALICE, HOST, READ, (TOPIC, "other"))


def some(authorizer: Authorizer) -> bool:
    return authorizer.allows_some(ALICE, HOST, WRITE, TOPIC)


def test_some_resource_is_allowed_unless_denying_patterns_cover_it() -> None:
    allowed = acl("orders", WRITE)
    deny = Permission.DENY
    prefix = PatternType.PREFIXED
    assert some(authorizer_of(allowed))
    assert some(authorizer_of(acl("*", WRITE), acl("orders", WRITE, deny)))
    assert some(authorizer_of(allowed, acl("other", WRITE, deny)))
    assert some(authorizer_of(acl("or", WRITE, pattern_type=prefix), acl("orders", WRITE, deny)))
    assert some(authorizer_of(allows_without_acl=True))
    assert not some(authorizer_of())
    assert not some(authorizer_of(acl("orders", READ)))
    assert not some(authorizer_of(allowed, acl("orders", WRITE, deny)))
    assert not some(authorizer_of(allowed, acl("ord", WRITE, deny, pattern_type=prefix)))
    assert not some(authorizer_of(allowed, acl("*", AclOperation.ALL, deny)))
    assert authorizer_of().allows_some("User:root", HOST, WRITE, TOPIC)
