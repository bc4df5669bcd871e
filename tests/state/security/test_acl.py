"""A filter selects by the name and the type of a pattern."""

import pytest

from mockbroker.state.security.acl import (
    Acl,
    AclFilter,
    AclOperation,
    AclResource,
    PatternType,
    Permission,
)

LITERAL, PREFIXED, MATCH = PatternType.LITERAL, PatternType.PREFIXED, PatternType.MATCH


@pytest.mark.parametrize(
    ("pattern_type", "name", "asked_type", "asked_name", "matches"),
    [
        (LITERAL, "orders", LITERAL, "orders", True),
        (LITERAL, "orders", PREFIXED, "orders", False),
        (PREFIXED, "ord", LITERAL, "orders", False),
        (PREFIXED, "ord", MATCH, "orders", True),
        (PREFIXED, "orders-", MATCH, "orders", False),
        (LITERAL, "*", MATCH, "orders", True),
        (LITERAL, "*", LITERAL, "orders", False),
        (LITERAL, "ord", MATCH, "orders", False),
        (PREFIXED, "ord", PatternType.ANY, None, True),
    ],
)
def test_only_match_looks_at_the_meaning_of_patterns(
    pattern_type: PatternType,
    name: str,
    asked_type: PatternType,
    asked_name: str | None,
    matches: bool,
) -> None:
    acl = Acl(
        AclResource.TOPIC,
        name,
        pattern_type,
        "User:alice",
        "*",
        AclOperation.READ,
        Permission.ALLOW,
    )
    wanted = AclFilter(resource_name=asked_name, pattern_type=asked_type)
    assert wanted.matches(acl) is matches
