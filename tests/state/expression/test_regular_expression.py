"""Matching by pattern: RE2's syntax, compared with Python's own engine."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.expression.regular_expression import (
    STEPS_MAX,
    RegularExpression,
)


@pytest.mark.parametrize(
    ("pattern", "like", "unlike"),
    [
        ("orders-.*", ["orders-", "orders-7"], ["order-7", "my-orders-7", "orders-\n"]),
        ("(?s)a.b", ["a\nb"], ["ab"]),
        ("a|bc|", ["a", "bc", ""], ["b", "abc"]),
        ("(?i)Ä[b-d]x", ["äCX", "ÄbX"], ["aCX"]),
        ("(?i:a)b", ["Ab", "ab"], ["AB"]),
        ("(a(?i)b)c", ["aBc", "abc"], ["aBC", "Abc"]),
        ("(?i-s:a.)", ["Ab"], ["A\n"]),
        ("(?P<one>a)(?<two>b)", ["ab"], ["a"]),
        ("a{2}b{1,2}c{2,}", ["aabcc", "aabbccc"], ["abcc", "aabbbcc", "aabc"]),
        ("a{,2}b{02}{", ["a{,2}b{02}{"], ["aabb{"]),
        ("[]a]+", ["]a"], ["b"]),
        ("[^a-c]", ["d", "\n"], ["b", ""]),
        ("[a-]+", ["a-a"], ["b"]),
        (r"[\d\-x]+", ["12-x"], ["y"]),
        (r"[[:upper:]_[:^print:]]+", ["A_\x01"], ["a"]),
        (r"\d\D\s\S\w\W", ["1a b_-"], ["aa b_-", "1a bé é"]),
        (r"\s+", [" \t\n\f\r"], ["\v", "\u2003"]),
        (r"\pL\p{Nd}\PL\p{^L}\p{Any}", ["é4--a"], ["44--a", "é4-aa"]),
        (r"\x41\x{1F600}\101\07\n\.", ["A\U0001f600A\x07\n."], ["AA"]),
        (r"\Qa.b*\Ec", ["a.b*c"], ["axbbc"]),
        (r"\Qab\E+", ["ab", "abb"], ["abab"]),
        (r"\_\é", ["_é"], ["é"]),
        (r"(?i)\p{Lu}[[:lower:]]\w\D", ["aA\u017fk"], ["1AAA", "aAA1"]),
        (r"\Q.*", [".*"], ["a"]),
        (r"\Aa$|^b\z", ["a", "b"], ["a\n", "ab"]),
        ("(?m)a$\n^b", ["a\nb"], ["ab"]),
        (r"\ba.\Bb", ["acb"], ["a-b"]),
        ("(a*)*", ["", "aaa"], ["b"]),
        ("(|a)+", ["", "aa"], ["b"]),
    ],
)
def test_a_pattern_matches_whole_texts(pattern: str, like: list[str], unlike: list[str]) -> None:
    matches = RegularExpression(pattern).matches
    assert [matches(text) for text in like] == [True] * len(like)
    assert [matches(text) for text in unlike] == [False] * len(unlike)


@pytest.mark.parametrize("pattern", ["(a+)+", "(a|aa)+", "(a*)*b", "a*a*a*a*a*a*a*a*", "(a?){99}"])
def test_ambiguous_patterns_do_not_take_longer(pattern: str) -> None:
    # A backtracking engine would not terminate.
    assert not RegularExpression(pattern).matches("a" * 2_000 + "!")


def test_a_pattern_that_grows_too_large_is_refused() -> None:
    with pytest.raises(ApiError) as refusal:
        RegularExpression("a{1000}" * (STEPS_MAX // 1000 + 1))
    assert refusal.value.code is ErrorCode.INVALID_REGULAR_EXPRESSION


def _patterns() -> st.SearchStrategy[str]:
    return st.recursive(
        st.sampled_from(["a", "b", ".", "[ab]", "[^a]", r"\w", "^", "$", r"\b", "(?:)"]),
        lambda parts: st.one_of(
            st.lists(parts, min_size=1, max_size=3).map("".join),
            st.lists(parts, min_size=2, max_size=3).map(lambda each: f"(?:{'|'.join(each)})"),
            st.tuples(parts, st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{2,}?"])).map(
                lambda each: f"(?:{each[0]}){each[1]}"
            ),
        ),
        max_leaves=6,
    )


@given(_patterns(), st.text("ab-", max_size=6))
def test_matches_agree_with_another_engine(pattern: str, text: str) -> None:
    assert RegularExpression(pattern).matches(text) == bool(re.fullmatch(pattern, text))
