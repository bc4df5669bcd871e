"""A matcher of RE2's regular expressions, in time linear in the text's length.

They select transactional ids (KIP-1152) and the topics of consumer groups (KIP-848). Clients choose
the pattern, and a cluster has one event loop: a pattern such as `(a+)+` could keep a backtracking
matcher busy forever. Like RE2, which Kafka uses, this matcher reads the text once and tracks the
set of all steps of the pattern that it may have reached.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from mockbroker.state.expression.pattern_syntax import (
    Character,
    Either,
    Node,
    Repeated,
    Several,
    ZeroWidthAssertion,
    parse,
    refused,
)

STEPS_MAX: Final = 5_000
"""The largest number of steps of a pattern, with its repetitions expanded."""
MOVES_KEPT: Final = 10_000

_END: Final = 0
"""The step at which the whole pattern has matched."""


class _Step(NamedTuple):
    """A part of a pattern, and the steps that follow it; a fork has no part."""

    part: Character | ZeroWidthAssertion | None
    follows: tuple[int, ...]


class RegularExpression:
    """A pattern for whole texts."""

    __slots__ = ("_moves", "_pattern", "_start", "_steps")

    def __init__(self, pattern: str) -> None:
        """Compile a pattern.

        Raises:
            ApiError: INVALID_REGULAR_EXPRESSION.

        """
        self._pattern: Final = pattern
        self._steps: Final = [_Step(None, ())]
        self._start: Final = frozenset({self._write(parse(pattern), _END)})
        self._moves: Final[dict[tuple[frozenset[int], str, str], frozenset[int]]] = {}

    def matches(self, text: str) -> bool:
        """Return whether the whole text matches the pattern."""
        steps, before = self._start, ""
        for character in text:
            steps = self._move(steps, before, character)
            if not steps:
                return False
            before = character
        return _END in self._reached(steps, before, "")

    # Matching

    def _move(self, steps: frozenset[int], before: str, character: str) -> frozenset[int]:
        known = self._moves.get((steps, before, character))
        if known is None:
            if len(self._moves) >= MOVES_KEPT:
                self._moves.clear()
            known = self._moves[steps, before, character] = frozenset(
                step.follows[0]
                for step in map(self._steps.__getitem__, self._reached(steps, before, character))
                if isinstance(step.part, Character) and step.part.accepts(character)
            )
        return known

    def _reached(self, steps: Iterable[int], before: str, after: str) -> set[int]:
        """Return the steps reached through forks and through assertions that hold here."""
        reached: set[int] = set()
        to_follow = list(steps)
        while to_follow:
            index = to_follow.pop()
            if index in reached:
                continue
            reached.add(index)
            part, follows = self._steps[index]
            if part is None or (isinstance(part, ZeroWidthAssertion) and part.fits(before, after)):
                to_follow += follows
        return reached

    # Compilation

    def _write(self, node: Node, follow: int) -> int:
        """Add the steps of a part that `follow` follows, and return the first of them."""
        match node:
            case Several(parts):
                for part in reversed(parts):
                    follow = self._write(part, follow)
                return follow
            case Either(branches):
                return self._add(_Step(None, tuple(self._write(each, follow) for each in branches)))
            case Repeated():
                return self._write_repeated(node, follow)
            case _:
                return self._add(_Step(node, (follow,)))

    def _write_repeated(self, node: Repeated, follow: int) -> int:
        if node.at_most is None:
            loop = self._add(_Step(None, ()))
            self._steps[loop] = _Step(None, (self._write(node.part, loop), follow))
            first = loop
        else:
            first = follow
            for _ in range(node.at_most - node.at_least):
                first = self._add(_Step(None, (self._write(node.part, first), follow)))
        for _ in range(node.at_least):
            first = self._write(node.part, first)
        return first

    def _add(self, step: _Step) -> int:
        if len(self._steps) >= STEPS_MAX:
            raise refused(self._pattern, "too large")
        self._steps.append(step)
        return len(self._steps) - 1
