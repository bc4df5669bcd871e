"""Character classes, Unicode categories and zero-width assertions of RE2's patterns."""

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeAlias

Accepts: TypeAlias = Callable[[str], bool]
"""A predicate: whether a character belongs to a class."""

Fits: TypeAlias = Callable[[str, str], bool]
"""A predicate: whether an assertion holds between two characters; "" is the start or end."""

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
"""Unicode's general categories: an upper-case letter, then a lower-case letter or none."""


def anything(_character: str) -> bool:
    """Accept any character."""
    return True


def anything_on_line(character: str) -> bool:
    """Accept any character except a newline."""
    return character != "\n"


def within(ranges: str) -> Accepts:
    """Accept the characters in ranges of three characters each, such as `a-z`."""
    pairs = [(ranges[at], ranges[at + 2]) for at in range(0, len(ranges), 3)]
    return lambda character: any(first <= character <= last for first, last in pairs)


def any_of(kinds: Sequence[Accepts]) -> Accepts:
    """Accept the characters that any of several classes accepts."""
    return lambda character: any(accepts(character) for accepts in kinds)


def none_of(accepts: Accepts) -> Accepts:
    """Accept the characters that a class does not accept."""
    return lambda character: not accepts(character)


def folded(accepts: Accepts) -> Accepts:
    """Accept the characters that a class accepts, ignoring case."""

    def accepts_folded(character: str) -> bool:
        small, capital = character.lower(), character.upper()
        # Some letters have a second lower-case form, found only from upper case: the long s.
        return any(map(accepts, {character, small, capital, small.upper(), capital.lower()}))

    return accepts_folded


def _is_word(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character == "_")


def _is_word_boundary(before: str, after: str) -> bool:
    return _is_word(before) != _is_word(after)


def of_category(category: str) -> Accepts | None:
    """Accept the characters of a Unicode general category; None if there is no such category."""
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
"""Assertions by their syntax."""

LINE_PLACES: Final[Mapping[str, Fits]] = {**PLACES, "^": _is_line_start, "$": _is_line_end}
"""Assertions by their syntax, with the flag `m`."""
