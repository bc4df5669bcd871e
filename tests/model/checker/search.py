"""Search of all histories of a case, which meets each state once."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from tests.model.checker.known_states import KnownStates
from tests.model.checker.promises import Broken, broken_to_producers
from tests.model.checker.values import Case
from tests.model.checker.world import Action, Doing, World

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

    def add(self, other: "Found") -> None:
        """Add what was met elsewhere."""
        self.states += other.states
        self.ends += other.ends
        self.depth = max(self.depth, other.depth)
        self.is_complete &= other.is_complete
        self.broker_steps += other.broker_steps
        self.went += other.went
        self.broken = other.broken | self.broken


class Share(NamedTuple):
    """One of several searches of a case that run at the same time, and divide the work."""

    number: int = 0
    shares: int = 1

    def has(self, key: int) -> bool:
        """Return whether what follows a state is in this share."""
        return key % self.shares == self.number


ALL: Final = Share()


class Search:
    """A search of one case, depth first; a history ends where a promise is broken.

    First come the states that no fault leads to, then those after one, and so on. So each state is
    met with as many faults left as possible, and what may follow with fewer may follow as well.

    States are forgotten, but for a number each. To go on with another fault, the search walks once
    more through the states that it knows.
    """

    def __init__(
        self,
        case: Case,
        known: KnownStates | None = None,
        *,
        states_max: int | None = None,
        is_reduced: bool = True,
        meet: Callable[[World], object] | None = None,
        tell: Callable[[Found], object] | None = None,
    ) -> None:
        """Begin at the first state; `meet` gets each state, and `tell` is called at times.

        Unless `is_reduced`, states are others with another number of faults left, and either
        producer begins.
        """
        self._states_max = states_max
        self._is_reduced = is_reduced
        self._meet = meet
        self._tell = tell
        self._doing = Doing(case)
        self._known = known or KnownStates()
        self._texts: dict[object, bytes] = {}
        """What tells the parts of worlds apart; the same few come again and again."""
        self._history: list[Action] = []
        """The steps to the state that is visited."""
        self.found = Found(case=case)

    def run(self, until: str | None = None) -> Found:
        """Visit every state, or visit states until a certain promise is broken."""
        for faults in range(self.found.case.faults + 1):
            self.visit(faults, until=until)
            if not self.found.is_complete:
                break
        return self.found

    def visit(self, faults: int, share: Share = ALL, until: str | None = None) -> Found:
        """Visit the states that so many faults lead to; those of fewer faults are known."""
        found = self.found
        for world in self._states(faults, share):
            found.states += 1
            found.depth = max(found.depth, len(self._history))
            if (broken := _broken_in(world)) is not None:
                self._note(broken)
            elif next(self._actions(world), None) is None:
                self._end(world)
            if self._meet is not None:
                self._meet(world)
            if self._tell is not None and found.states % TOLD_EVERY == 0:
                self._tell(found)
            if until in found.broken or found.states == self._states_max:
                found.is_complete = False
                break
        found.broker_steps = self._doing.moments.taken
        return found

    def _states(self, faults: int, share: Share) -> Iterator[World]:
        """Yield each state that was not met, and know it from now on."""
        for world in self._after_faults(faults, share, self.found.went):
            yield from self._closure(world, faults, self._known.add, self.found.went)

    def _known_states(self, faults: int) -> Iterator[World]:
        """Yield each state that so many faults led to, once more."""
        met: set[int] = set()

        def is_first(key: int, faults: int) -> bool:
            if key in met or not self._known.has(key, faults):
                return False
            met.add(key)
            return True

        for world in self._after_faults(faults, ALL):
            yield from self._closure(world, faults, is_first)

    def _after_faults(
        self, faults: int, share: Share, went: Counter[str] | None = None
    ) -> Iterator[World]:
        """Yield the state right after each fault that may be the last of so many."""
        if not faults:
            if share.has(0):
                yield self._doing.first
            return
        for world in self._known_states(faults - 1):
            if _broken_in(world) is None and share.has(self._key(world, faults - 1)):
                for action in self._actions(world, is_fault=True):
                    yield self._done(world, action, went)
                    self._history.pop()

    def _closure(
        self,
        first: World,
        faults: int,
        is_first: Callable[[int, int], bool],
        went: Counter[str] | None = None,
    ) -> Iterator[World]:
        """Yield a state, and those that follow without a fault, unless they were met before."""
        if not is_first(self._key(first, faults), faults):
            return
        yield first
        waiting = [(first, self._next_actions(first))]
        while waiting:
            world, actions = waiting[-1]
            for action in actions:
                after = self._done(world, action, went)
                if is_first(self._key(after, faults), faults):
                    yield after
                    waiting.append((after, self._next_actions(after)))
                    break
                self._history.pop()
            else:
                waiting.pop()
                if waiting:
                    self._history.pop()

    def _done(self, world: World, action: Action, went: Counter[str] | None) -> World:
        """Do an action, and add it to the history."""
        after, how = self._doing.done(world, action)
        if went is not None:
            went[how] += 1
        self._history.append(action)
        return after

    def _next_actions(self, world: World) -> Iterator[Action]:
        return iter(()) if _broken_in(world) is not None else self._actions(world)

    def _actions(self, world: World, *, is_fault: bool = False) -> Iterator[Action]:
        """Yield what may happen next; of two producers alike, the first one begins."""
        is_mirrored = self._is_reduced and world.is_symmetric()
        for action in world.actions(int(is_fault)):
            if (action.faults > 0) == is_fault and not (
                is_mirrored and action.arguments and action.arguments[0] == 1
            ):
                yield action

    def _key(self, world: World, faults: int) -> int:
        """Return the number of a state."""
        moment = world.moment
        told = [moment.digest, *map(self._text_of, world[1:])]
        if moment.broken is not None:
            told.append(moment.broken.promise.encode())
        if not self._is_reduced:
            told.append(bytes([faults]))
        return int.from_bytes(blake2b(b"".join(told), digest_size=8).digest(), "big")

    def _text_of(self, part: Any) -> bytes:
        """Return bytes of one size that tell a part of a world from every other."""
        found = self._texts.get(part)
        if found is None:
            text = repr(sorted(part) if isinstance(part, frozenset) else part)
            found = blake2b(text.encode(), digest_size=16).digest()
            self._texts[part] = found
        return found

    def _end(self, world: World) -> None:
        self.found.ends += 1
        settled = self._doing.moments.settled(world.moment)
        for broken in settled.broken, broken_to_producers(world.told(settled)):
            if broken is not None:
                self._note(broken)

    def _note(self, broken: Broken) -> None:
        if broken.promise not in self.found.broken:
            self.found.broken[broken.promise] = BrokenHistory(*broken, tuple(self._history))


def _broken_in(world: World) -> Broken | None:
    return world.moment.broken or broken_to_producers(world.told())


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
            if (broken := _broken_in(world)) is not None:
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
