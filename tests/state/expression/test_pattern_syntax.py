"""Refused patterns, and the limits of accepted ones."""

import pytest

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.expression.pattern_syntax import (
    COUNT_MAX,
    DEPTH_MAX,
    Repeated,
    Several,
    parse,
)


@pytest.mark.parametrize(
    "pattern",
    [
        *("(", ")", "a)", "(a", "(?", "(?P<n>a", "[", "[a", "[]", "[^]", "[[:alpha:]", "\\"),
        *("*", "+a", "|?", "(*)", "{2}", "a**", "a+*", "a??*", "a{2}{3}", "a*+"),
        *("a{2,1}", "a{1001}", "a{0,1001}", "a{99999999999999999999}", "(a{80}){80}", "{*", "{{2}"),
        *("(?=a)", "(?!a)", "(?<=a)", "(?<!a)", "(?>a)", "(?P=n)", "(?P<n>a)(?P<n>b)", "(?x)a"),
        *(r"\1", r"\8", r"\Z", r"\C", r"\k", r"\x", r"\x{110000}", r"[\8]"),
        *("[z-a]", r"[a-\d]", "[[:nothing:]]", "[[:d:]]", r"\p{Greek}", r"\pX", r"\p{Lx}"),
    ],
)
def test_invalid_patterns_are_refused(pattern: str) -> None:
    with pytest.raises(ApiError) as refusal:
        parse(pattern)
    assert refusal.value.code is ErrorCode.INVALID_REGULAR_EXPRESSION


def test_the_nesting_of_groups_is_limited() -> None:
    parse("(" * DEPTH_MAX + ")" * DEPTH_MAX)
    with pytest.raises(ApiError):
        parse("(" * (DEPTH_MAX + 1) + ")" * (DEPTH_MAX + 1))


@pytest.mark.parametrize(
    ("pattern", "at_least", "at_most"),
    [
        ("a*", 0, None),
        ("a+?", 1, None),
        ("a?", 0, 1),
        ("a{3}", 3, 3),
        ("a{3,}?", 3, None),
        (f"a{{0,{COUNT_MAX}}}", 0, COUNT_MAX),
    ],
)
def test_repetitions_are_counted(pattern: str, at_least: int, at_most: int | None) -> None:
    node = parse(pattern)
    assert isinstance(node, Several)
    (repeated,) = node.parts
    assert isinstance(repeated, Repeated)
    assert (repeated.at_least, repeated.at_most) == (at_least, at_most)
