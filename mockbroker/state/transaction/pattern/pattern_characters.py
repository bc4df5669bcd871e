"""The characters of RE2's patterns: classes, categories, and the places between two of them."""

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

Accepts: TypeAlias = Callable[[str], bool]
"""Says whether a character is of a kind."""

Fits: TypeAlias = Callable[[str, str], bool]
"""Says whether a place is between two characters; each is "" where the text ends."""

_LETTERS: Final = "A-Za-z"
CLASSES: Final[Mapping[str, str]] = {
    "d": "0-9",
    "s": "\t-\n\f-\r - ",
    "w": f"0-9{_LETTERS}_-_",
    "alnum": f"0-9{_LETTERS}",
    "alpha": _LETTERS,
    "ascii": "\0-\x7f",
    "blank": "\t-\t - ",
    "cntrl": "\0-\x1f\x7f-\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@[-`{-~",
    "space": "\t-\r - ",
    "upper": "A-Z",
    "word": f"0-9{_LETTERS}_-_",
    "xdigit": "0-9A-Fa-f",
}
"""Perl's and POSIX' classes as ranges, three characters each."""

_CATEGORIES: Final[Mapping[str, str]] = {
    "C": "cfos",
    "L": "lmotu",
    "M": "cen",
    "N": "dlo",
    "P": "cdefios",
    "S": "ckmo",
    "Z": "lps",
}
"""Unicode's general categories: a capital, and then a small letter or none."""


def anything(_character: str) -> bool:
    """Accept any character."""
    return True


def anything_on_line(character: str) -> bool:
    """Accept any character but the end of a line."""
    return character != "\n"


def within(ranges: str) -> Accepts:
    """Accept what is in ranges of three characters each, such as `a-z`."""
    pairs = [(ranges[at], ranges[at + 2]) for at in range(0, len(ranges), 3)]
    return lambda character: any(first <= character <= last for first, last in pairs)


def any_of(kinds: Sequence[Accepts]) -> Accepts:
    """Accept what any of some kinds does."""
    return lambda character: any(accepts(character) for accepts in kinds)


def none_of(accepts: Accepts) -> Accepts:
    """Accept what a kind does not."""
    return lambda character: not accepts(character)


def folded(accepts: Accepts) -> Accepts:
    """Accept what a kind does in small letters or in capitals."""

    def accepts_folded(character: str) -> bool:
        small, capital = character.lower(), character.upper()
        # Some letters have a second small one, which is known by the capital only: long s.
        return any(map(accepts, {character, small, capital, small.upper(), capital.lower()}))

    return accepts_folded


def _is_word(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character == "_")


def _is_word_boundary(before: str, after: str) -> bool:
    return _is_word(before) != _is_word(after)


def of_category(category: str) -> Accepts | None:
    """Accept what is of one of Unicode's general categories; None where there is no such one."""
    small = _CATEGORIES.get(category[:1])
    if small is None or len(category) > 2 or category[1:] not in small:
        return None
    return lambda character: unicodedata.category(character).startswith(category)


def _is_text_start(before: str, _after: str) -> bool:
    return not before


def _is_text_end(_before: str, after: str) -> bool:
    return not after


def _is_line_start(before: str, _after: str) -> bool:
    return before in {"", "\n"}


def _is_line_end(_before: str, after: str) -> bool:
    return after in {"", "\n"}


def _is_inside_word(before: str, after: str) -> bool:
    return not _is_word_boundary(before, after)


PLACES: Final[Mapping[str, Fits]] = {
    "\\A": _is_text_start,
    "\\z": _is_text_end,
    "\\b": _is_word_boundary,
    "\\B": _is_inside_word,
    "^": _is_text_start,
    "$": _is_text_end,
}
"""By their syntax."""

LINE_PLACES: Final[Mapping[str, Fits]] = {**PLACES, "^": _is_line_start, "$": _is_line_end}
"""The same with the flag `m`."""
