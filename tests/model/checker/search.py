"""Search of all histories of a case, which meets each state once."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from tests.model.checker.promises import Broken, broken_to_producers
from tests.model.checker.values import Case
from tests.model.checker.world import Action, Doing, World

_BITS: Final = 28
"""The width of each part of a state: so many different ones of a part are possible."""
_MASK: Final = (1 << _BITS) - 1
TOLD_EVERY: Final = 100_000
"""The number of states between two reports."""


class BrokenHistory(NamedTuple):
    """A promise that does not hold, and the steps to where it does not."""

    promise: str
    why: str
    history: tuple[Action, ...]


@dataclass(kw_only=True)
class Found:
    """What a search met."""

    case: Case
    states: int = 0
    moments: int = 0
    """The states of the brokers among them."""
    ends: int = 0
    """The states after which nothing more is to happen."""
    depth: int = 0
    """The length of the longest history."""
    is_complete: bool = True
    """False if the search ended before it had met all states."""
    broker_steps: int = 0
    """How often brokers did something; the other steps repeat one of these."""
    went: Counter[str] = field(default_factory=Counter[str])
    """How often each kind of step went in each way."""
    broken: dict[str, BrokenHistory] = field(default_factory=dict[str, BrokenHistory])
    """The first case of each broken promise."""

    @property
    def transitions(self) -> int:
        """The steps that were taken, each once from each state."""
        return self.went.total()


class Parts:
    """Numbers for the parts of worlds, so that a state is one number, and no two share one."""

    def __init__(self) -> None:
        """Begin with no parts."""
        self._numbers: list[dict[Any, int]] = [{} for _ in World._fields]
        self._parts: list[list[Any]] = [[] for _ in World._fields]

    def number_of(self, world: World) -> int:
        """Return the number of a world."""
        number = 0
        for part, numbers, parts in zip(world, self._numbers, self._parts, strict=True):
            found = numbers.setdefault(part, len(parts))
            if found == len(parts):
                parts.append(part)
            number = number << _BITS | found
        return number

    def world_of(self, number: int) -> World:
        """Return the world with a number."""
        found: list[Any] = []
        for parts in reversed(self._parts):
            found.append(parts[number & _MASK])
            number >>= _BITS
        return World._make(reversed(found))


class Search:
    """A search of one case, depth first; a history ends where a promise is broken.

    First come the states that no fault leads to, then those after one, and so on. So each state is
    met with as many faults left as possible, and what may follow with fewer may follow as well.
    """

    def __init__(
        self,
        case: Case,
        *,
        states_max: int | None = None,
        is_reduced: bool = True,
        tell: Callable[[Found], object] | None = None,
    ) -> None:
        """Begin at the first state; `tell` is called from time to time.

        Unless `is_reduced`, states are others with another number of faults left, and either
        producer begins.
        """
        self._states_max = states_max
        self._is_reduced = is_reduced
        self._tell = tell
        self._doing = Doing(case)
        self._parts = Parts()
        self._before: dict[int, int] = {}
        """The state from which each one was first met."""
        self._to_visit = [defaultdict[int, dict[int, int]](dict) for _ in range(case.faults + 1)]
        """What was met, and from where, by the number of faults and of steps."""
        self.found = Found(case=case)

    def run(self, until: str | None = None) -> Found:
        """Visit every state, or visit states until a certain promise is broken."""
        found = self.found
        first = self._parts.number_of(self._doing.first)
        self._to_visit[0][0][first] = first
        for number, faults, depth in self._in_order():
            if until in found.broken or found.states == self._states_max:
                found.is_complete = False
                break
            self._visit(number, faults, depth)
            if self._tell is not None and found.states % TOLD_EVERY == 0:
                self._tell(found)
        return found

    def worlds(self) -> set[tuple[Any, ...]]:
        """Return the states that were met, without the number of faults left."""
        shift = 0 if self._is_reduced else _BITS
        worlds = (self._parts.world_of(key >> shift) for key in self._before)
        return {(world.moment.digest, *world[1:]) for world in worlds}

    def _in_order(self) -> Iterator[tuple[int, int, int]]:
        """Yield what is to be visited: of the fewest faults first, and of these the deepest."""
        for faults, by_depth in enumerate(self._to_visit):
            while by_depth:
                depth = max(by_depth)
                number, before = by_depth[depth].popitem()
                if not by_depth[depth]:
                    del by_depth[depth]
                key = self._key(number, faults)
                if key not in self._before:
                    self._before[key] = before
                    yield number, faults, depth

    def _visit(self, number: int, faults: int, depth: int) -> None:
        found, world = self.found, self._parts.world_of(number)
        found.states += 1
        found.moments = len(self._doing.moments)
        found.broker_steps = self._doing.moments.taken
        found.depth = max(found.depth, depth)
        broken = world.moment.broken or broken_to_producers(world.told())
        if broken is not None:
            self._note(broken, number, faults)
            return
        is_end = True
        for action in self._actions(world, found.case.faults - faults):
            is_end &= action.faults > 0
            after, went = self._doing.done(world, action)
            found.went[went] += 1
            reached = self._parts.number_of(after)
            if self._key(reached, faults + action.faults) not in self._before:
                self._to_visit[faults + action.faults][depth + 1].setdefault(reached, number)
        if is_end:
            self._end(world, number, faults)

    def _key(self, number: int, faults: int) -> int:
        return number if self._is_reduced else number << _BITS | faults

    def _actions(self, world: World, faults_left: int) -> Iterator[Action]:
        """Yield what may happen next; of two producers alike, the first one begins."""
        if self._is_reduced and world.is_symmetric():
            for action in world.actions(faults_left):
                if not action.arguments or action.arguments[0] != 1:
                    yield action
        else:
            yield from world.actions(faults_left)

    def _end(self, world: World, number: int, faults: int) -> None:
        self.found.ends += 1
        settled = self._doing.moments.settled(world.moment)
        for broken in settled.broken, broken_to_producers(world.told(settled)):
            if broken is not None:
                self._note(broken, number, faults)

    def _note(self, broken: Broken, number: int, faults: int) -> None:
        if broken.promise not in self.found.broken:
            history = tuple(reversed(list(self._way_back(number, faults))))
            self.found.broken[broken.promise] = BrokenHistory(*broken, history)

    def _way_back(self, number: int, faults: int) -> Iterator[Action]:
        """Yield the steps to a state, the last one first."""
        while (before := self._before[self._key(number, faults)]) != number:
            world = self._parts.world_of(before)
            action = next(
                action
                for action in world.actions(self.found.case.faults)
                if self._parts.number_of(self._doing.done(world, action)[0]) == number
            )
            yield action
            number, faults = before, faults - action.faults


def shortened(case: Case, broken: BrokenHistory) -> BrokenHistory:
    """Leave out every step without which the same promise is broken."""
    index = len(broken.history) - 1
    while index >= 0:
        tried = broken.history[:index] + broken.history[index + 1 :]
        again = replayed(case, tried)
        if again is not None and again.promise == broken.promise:
            broken = again
            index = min(index, len(broken.history))
        index -= 1
    return broken


def replayed(case: Case, history: Iterable[Action]) -> BrokenHistory | None:
    """Take steps as far as they are possible, and settle; return the broken promise, if any."""
    doing = Doing(case)
    world, faults_left = doing.first, case.faults
    taken: list[Action] = []
    for action in history:
        if action in world.actions(faults_left):
            taken.append(action)
            faults_left -= action.faults
            world, _ = doing.done(world, action)
            broken = world.moment.broken or broken_to_producers(world.told())
            if broken is not None:
                return BrokenHistory(*broken, tuple(taken))
    settled = doing.moments.settled(world.moment)
    broken = settled.broken or broken_to_producers(world.told(settled))
    return None if broken is None else BrokenHistory(*broken, tuple(taken))


def told(case: Case, history: Iterable[Action]) -> Iterator[str]:
    """Yield each step with how it went."""
    doing = Doing(case)
    world = doing.first
    for action in history:
        world, went = doing.done(world, action)
        yield f"{action}: {went}"
