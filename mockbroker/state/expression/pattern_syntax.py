r"""Parser for RE2's syntax, the syntax of patterns in ListTransactions (KIP-1152).

Rules:

1. Syntax that RE2 lacks, back-references and look-around, is refused. So are patterns that could
   grow without bounds: counts above 1000, nested repetitions whose counts multiply to more than
   `PRODUCT_MAX`, and groups nested deeper than `DEPTH_MAX`.
2. Two features of RE2 are refused as well: scripts (`\p{Greek}`; general categories such as
   `\p{Lu}` are supported), and a repetition right after flags (`a(?i)+`).
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from mockbroker.protocol.errors import ApiError, ErrorCode
from mockbroker.state.expression.pattern_characters import (
    CLASSES,
    LINE_PLACES,
    PLACES,
    Accepts,
    Fits,
    any_of,
    anything,
    anything_on_line,
    folded,
    none_of,
    of_category,
    within,
)

COUNT_MAX: Final = 1000
PRODUCT_MAX: Final = 5_000
DEPTH_MAX: Final = 100


class Character(NamedTuple):
    """One character of a class."""

    accepts: Accepts


class ZeroWidthAssertion(NamedTuple):
    """A zero-width assertion between two characters."""

    fits: Fits


class Several(NamedTuple):
    """A concatenation of parts."""

    parts: "Sequence[Node]"


class Either(NamedTuple):
    """An alternation of branches."""

    branches: "Sequence[Node]"


class Repeated(NamedTuple):
    """A part repeated `at_least` to `at_most` times; None means no upper limit."""

    part: "Node"
    at_least: int
    at_most: int | None


Node: TypeAlias = Character | ZeroWidthAssertion | Several | Either | Repeated

_COUNT: Final = re.compile(r"\{(0|[1-9]\d*)(,(0|[1-9]\d*)?)?\}")
_COUNTS: Final[Mapping[str, tuple[int, int | None]]] = {
    "*": (0, None),
    "+": (1, None),
    "?": (0, 1),
}
_FLAGS: Final = re.compile(r"\(\?([imsU]*)(?:-([imsU]+))?([:)])")
_NAME: Final = re.compile(r"\(\?P?<([A-Za-z0-9_]+)>")
_HEX: Final = re.compile(r"\\x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]+)\})")
_OCTAL: Final = re.compile(r"\\(0[0-7]{0,2}|[1-7][0-7]{1,2})")
_CATEGORY: Final = re.compile(r"\\([pP])(?:\{(\^?)(\w+)\}|(\w))")
_POSIX: Final = re.compile(r"\[:(\^?)(\w+):\]")
_CONTROLS: Final = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def refused(pattern: str, why: str) -> ApiError:
    """Return the error for an invalid pattern."""
    return ApiError(ErrorCode.INVALID_REGULAR_EXPRESSION, f"{pattern!r}: {why}")


def parse(pattern: str) -> Node:
    """Parse a pattern.

    Raises:
        ApiError: INVALID_REGULAR_EXPRESSION.

    """
    parser = _Parser(pattern)
    node = parser.alternatives()
    if parser.position < len(pattern):
        raise refused(pattern, "an unexpected )")
    if _count(node) > PRODUCT_MAX:
        raise refused(pattern, "too many repetitions")
    return node


def _count(node: Node) -> int:
    """Return the largest product of the counts of nested repetitions."""
    match node:
        case Repeated(part, at_least, at_most):
            return max(at_least, at_most or 0, 1) * _count(part)
        case Several(parts) | Either(parts):
            return max(map(_count, parts), default=1)
        case _:
            return 1


class _Parser:
    """Recursive-descent parser of one pattern."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.position = 0
        self._flags: frozenset[str] = frozenset()
        self._names: set[str] = set()
        self._depth = 0

    def alternatives(self) -> Node:
        flags = self._flags
        branches = [self._sequence()]
        while self._take("|"):
            branches.append(self._sequence())
        self._flags = flags  # flags set inside a group end with it
        return branches[0] if len(branches) == 1 else Either(branches)

    def _sequence(self) -> Node:
        parts: list[Node] = []
        while self.position < len(self.pattern) and self._next() not in "|)":
            atom = self._atom()
            if atom is not None:
                parts.append(self._repeated(atom))
        return Several(parts)

    def _repeated(self, atom: Node) -> Node:
        counts = self._counts()
        if counts is None:
            return atom
        self._take("?")  # lazy or not: the whole text matches or does not
        if self._counts() is not None:
            raise self._refused("a repetition of a repetition")
        at_least, at_most = counts
        if at_least > COUNT_MAX or (at_most is not None and not at_least <= at_most <= COUNT_MAX):
            raise self._refused("an invalid repetition count")
        return Repeated(atom, at_least, at_most)

    def _counts(self) -> tuple[int, int | None] | None:
        counts = _COUNTS.get(self._next())
        if counts is not None:
            self.position += 1
            return counts
        match = self._read(_COUNT)
        if match is None:
            return None
        if max(map(len, match.groups(""))) > len(str(COUNT_MAX)) + 1:
            raise self._refused("an invalid repetition count")
        at_least = int(match[1])
        if match[2] is None:
            return at_least, at_least
        return at_least, int(match[3]) if match[3] else None

    # One part

    def _atom(self) -> Node | None:
        """Parse the next part that may be repeated; None for flags, which match nothing."""
        character = self._next()
        if character == "(":
            return self._group()
        if character == "[":
            return Character(self._class())
        if character == "\\":
            return self._escape()
        if character in _COUNTS or self._at_count():
            raise self._refused("nothing to repeat")
        self.position += 1
        if character in PLACES:
            return ZeroWidthAssertion((LINE_PLACES if "m" in self._flags else PLACES)[character])
        if character == ".":
            return Character(anything if "s" in self._flags else anything_on_line)
        if character == "{" and (self._next() in _COUNTS or self._at_count()):
            raise self._refused("a repetition of a {")
        return self._literal(character)

    def _at_count(self) -> bool:
        return _COUNT.match(self.pattern, self.position) is not None

    def _group(self) -> Node | None:
        outside = self._flags
        flags = self._read(_FLAGS)
        name = None if flags else self._read(_NAME)
        if flags:
            self._flags = outside.union(flags[1]).difference(flags[2] or "")
            if flags[3] == ")":
                return None
        elif name:
            if name[1] in self._names:
                raise self._refused(f"duplicate group name {name[1]!r}")
            self._names.add(name[1])
        else:
            self.position += 1
            if self._next() == "?":
                raise self._refused("a group that RE2 does not support")
        self._depth += 1
        if self._depth > DEPTH_MAX:
            raise self._refused("groups nested too deeply")
        node = self.alternatives()
        self._depth -= 1
        self._flags = outside
        if not self._take(")"):
            raise self._refused("a missing )")
        return node

    def _escape(self) -> Node:
        escape = self.pattern[self.position : self.position + 2]
        if escape in PLACES:
            self.position += 2
            return ZeroWidthAssertion(PLACES[escape])
        if escape == r"\Q":
            quoted, _, _ = self.pattern[self.position + 2 :].partition("\\E")
            self.position = min(len(self.pattern), self.position + 4 + len(quoted))
            literals: list[Node] = [self._literal(each) for each in quoted]
            # A repetition applies to the last character only.
            return Several([*literals[:-1], *map(self._repeated, literals[-1:])])
        accepts = self._escaped_class()
        return self._literal(self._escaped_character()) if accepts is None else Character(accepts)

    def _literal(self, character: str) -> Character:
        if "i" in self._flags:
            return Character(folded(character.__eq__))
        return Character(character.__eq__)

    # Classes and escapes

    def _class(self) -> Accepts:
        self.position += 1
        is_negated = self._take("^")
        kinds: list[Accepts] = []
        ranges = ""
        is_first = True
        while is_first or self._next() != "]":
            if self.position >= len(self.pattern):
                raise self._refused("a missing ]")
            is_first = False
            accepts = self._posix_class() or self._escaped_class()
            if accepts is None:
                ranges += self._range()
            else:
                kinds.append(accepts)
        self.position += 1
        kinds.append(within(ranges))
        accepts = any_of(kinds)
        if "i" in self._flags:
            accepts = folded(accepts)
        return none_of(accepts) if is_negated else accepts

    def _range(self) -> str:
        first = last = self._class_character()
        rest = self.pattern[self.position : self.position + 2]
        if rest[:1] == "-" and rest not in {"-", "-]"}:
            self.position += 1
            last = self._class_character()
        if first > last:
            raise self._refused(f"an empty range from {first!r} to {last!r}")
        return f"{first}-{last}"

    def _class_character(self) -> str:
        if self._next() == "\\":
            return self._escaped_character()
        self.position += 1
        return self.pattern[self.position - 1]

    def _posix_class(self) -> Accepts | None:
        match = self._read(_POSIX)
        if match is None:
            return None
        ranges = CLASSES.get(match[2])
        if ranges is None or len(match[2]) == 1:
            raise self._refused(f"an unknown class {match[2]!r}")
        return none_of(within(ranges)) if match[1] else within(ranges)

    def _escaped_class(self) -> Accepts | None:
        match = self._read(_CATEGORY)
        if match is not None:
            category = match[3] or match[4]
            accepts = anything if category == "Any" else of_category(category)
            if accepts is None:
                raise self._refused(f"an unknown category {category!r}")
            return self._class_of(accepts, is_negated=(match[1] == "P") != bool(match[2]))
        escape = self.pattern[self.position : self.position + 2]
        if len(escape) < 2 or escape[0] != "\\" or escape[1] not in "dDsSwW":
            return None
        self.position += 2
        accepts = within(CLASSES[escape[1].lower()])
        return self._class_of(accepts, is_negated=escape[1].isupper())

    def _class_of(self, accepts: Accepts, *, is_negated: bool) -> Accepts:
        if "i" in self._flags:
            accepts = folded(accepts)
        return none_of(accepts) if is_negated else accepts

    def _escaped_character(self) -> str:
        for syntax, base in ((_HEX, 16), (_OCTAL, 8)):
            match = self._read(syntax)
            if match is not None:
                code = int(next(filter(None, match.groups())), base)
                if code > 0x10FFFF:
                    raise self._refused("a character above U+10FFFF")
                return chr(code)
        character = self.pattern[self.position + 1 : self.position + 2]
        self.position += 2
        if character in _CONTROLS:
            return _CONTROLS[character]
        if not character or (character.isascii() and character.isalnum()):
            raise self._refused(f"an invalid escape {character!r}")
        return character

    # Text

    def _next(self) -> str:
        return self.pattern[self.position : self.position + 1]

    def _take(self, character: str) -> bool:
        if self._next() != character:
            return False
        self.position += 1
        return True

    def _read(self, syntax: re.Pattern[str]) -> re.Match[str] | None:
        match = syntax.match(self.pattern, self.position)
        if match is not None:
            self.position = match.end()
        return match

    def _refused(self, why: str) -> ApiError:
        return refused(self.pattern, why)
