"""Whether a transactional id is like a pattern (KIP-1152), in time that grows with its length only.

Clients choose the pattern, and one cluster has one loop: a matcher that goes back and tries again
could be kept busy for ever by a pattern such as `(a+)+`. Like RE2, which Kafka uses, this one goes
through a text once, with all the places of the pattern in hand at which it may be.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from mockbroker.state.transaction.pattern.pattern_syntax import (
    Character,
    Either,
    Node,
    Place,
    Repeated,
    Several,
    parse,
    refused,
)

STEPS_MAX: Final = 5_000
"""How large a pattern may be, once its repetitions are written out."""
MOVES_KEPT: Final = 10_000

_END: Final = 0
"""The step at which the whole pattern has matched."""


class _Step(NamedTuple):
    """A part of a pattern, and the steps that follow it; a fork is nothing by itself."""

    part: Character | Place | None
    follows: tuple[int, ...]


class TransactionalIdPattern:
    """A pattern for whole transactional ids."""

    __slots__ = ("_moves", "_pattern", "_start", "_steps")

    def __init__(self, pattern: str) -> None:
        """Read a pattern.

        Raises:
            ApiError: INVALID_REGULAR_EXPRESSION.

        """
        self._pattern: Final = pattern
        self._steps: Final = [_Step(None, ())]
        self._start: Final = frozenset({self._write(parse(pattern), _END)})
        self._moves: Final[dict[tuple[frozenset[int], str, str], frozenset[int]]] = {}

    def matches(self, text: str) -> bool:
        """Tell whether the whole text is like the pattern."""
        steps, before = self._start, ""
        for character in text:
            steps = self._move(steps, before, character)
            if not steps:
                return False
            before = character
        return _END in self._reached(steps, before, "")

    # Running

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
        """Follow forks, and places that fit between two characters."""
        reached: set[int] = set()
        to_follow = list(steps)
        while to_follow:
            index = to_follow.pop()
            if index in reached:
                continue
            reached.add(index)
            part, follows = self._steps[index]
            if part is None or (isinstance(part, Place) and part.fits(before, after)):
                to_follow += follows
        return reached

    # Writing out

    def _write(self, node: Node, follow: int) -> int:
        """Write a part of the pattern before the step that follows it, and return its first."""
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
