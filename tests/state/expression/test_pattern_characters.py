"""Character classes, categories and zero-width assertions."""

import unicodedata

import pytest

from mockbroker.state.expression.pattern_characters import (
    CLASSES,
    LINE_PLACES,
    PLACES,
    folded,
    of_category,
    within,
)

ASCII = [chr(code) for code in range(128)]


@pytest.mark.parametrize(
    ("name", "count"),
    [
        *(("d", 10), ("s", 5), ("w", 63), ("alnum", 62), ("alpha", 52), ("ascii", 128)),
        *(("blank", 2), ("cntrl", 33), ("digit", 10), ("graph", 94), ("lower", 26), ("print", 95)),
        *(("punct", 32), ("space", 6), ("upper", 26), ("word", 63), ("xdigit", 22)),
    ],
)
def test_a_class_has_the_expected_number_of_ascii_characters(name: str, count: int) -> None:
    accepts = within(CLASSES[name])
    assert sum(map(accepts, ASCII)) == count
    assert not any(map(accepts, "é€😀"))


def test_every_category_of_unicode_is_known() -> None:
    every = {unicodedata.category(chr(code)) for code in range(0x11000)} - {"Cn"}
    for category in every:
        accepts, group = of_category(category), of_category(category[0])
        assert accepts is not None
        assert group is not None
        example = next(
            chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) == category
        )
        assert accepts(example)
        assert group(example)


@pytest.mark.parametrize("category", ["", "X", "Lx", "Lul", "lu", "Greek"])
def test_unknown_categories_are_refused(category: str) -> None:
    assert of_category(category) is None


def test_case_is_ignored() -> None:
    assert all(map(folded("ä".__eq__), "äÄ"))
    assert not folded("ä".__eq__)("a")


@pytest.mark.parametrize(
    ("place", "before", "after", "fits"),
    [
        ("^", "", "a", True),
        ("^", "\n", "a", False),
        ("$", "a", "", True),
        ("$", "a", "\n", False),
        (r"\b", "", "a", True),
        (r"\b", "a", "é", True),
        (r"\B", "", "", True),
        (r"\B", "a", "-", False),
    ],
)
def test_an_assertion_holds_between_two_characters(
    place: str, before: str, after: str, fits: bool
) -> None:
    assert PLACES[place](before, after) is fits


def test_multiline_assertions_hold_inside_a_text() -> None:
    assert LINE_PLACES["^"]("\n", "a")
    assert LINE_PLACES["$"]("a", "\n")
    assert not LINE_PLACES[r"\A"]("\n", "a")
