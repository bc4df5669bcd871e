"""Search of all histories of a case, which meets each state once, depth first."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple

from mockbroker.state.topic.topic import TRANSACTION_STATE
from tests.model.checker.brokers import STEPS
from tests.model.checker.mementos import Memento
from tests.model.checker.promises import (
    ALWAYS,
    AT_THE_END,
    BrokenPromiseError,
    Reading,
    last_transitions,
)
from tests.model.checker.values import PARTITIONS, Case, Message
from tests.model.checker.world import Action, World
from tests.model.committed_reading import all_of

Check = Callable[[Reading], None]


class Broken(NamedTuple):
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
    went: Counter[str] = field(default_factory=Counter[str])
    """How often each kind of step went in each way."""
    broken: dict[str, Broken] = field(default_factory=dict[str, Broken])
    """The first case of each broken promise."""


class Search:
    """A search of one case, depth first; a history ends where a promise is broken."""

    def __init__(self, case: Case, *, states_max: int | None = None) -> None:
        """Begin at the first state."""
        self._world = World(case)
        self._states_max = states_max
        self._seen: set[bytes] = set()
        self._way: list[tuple[Memento, Iterator[Action]]] = []
        self._history: list[Action] = []
        self.found = Found(case=case)

    def run(self, until: str | None = None) -> Found:
        """Visit every state, or visit states until a certain promise is broken."""
        found, way = self.found, self._way
        self._enter()
        while way:
            memento, actions = way[-1]
            del self._history[len(way) - 1 :]
            action = next(actions, None)
            if action is None:
                way.pop()
                continue
            memento.bring_back()
            self._take(action)
            is_at_limit = self._states_max is not None and found.states >= self._states_max
            if is_at_limit or until in found.broken:
                found.is_complete = False
                break
        return found

    def _take(self, action: Action) -> None:
        self._history.append(action)
        self._world.act(action)
        self.found.went[self._world.went] += 1
        digest = digest_of(self._world)
        if digest not in self._seen:
            self._seen.add(digest)
            self._enter()

    def _enter(self) -> None:
        found, world = self.found, self._world
        found.states += 1
        found.depth = max(found.depth, len(self._history))
        try:
            check(world, ALWAYS)
            actions = list(world.actions())
            if actions:
                self._way.append((Memento(world), iter(actions)))
            if all(action.faults for action in actions):
                found.ends += 1
                world.settle()
                check(world, AT_THE_END)
        except BrokenPromiseError as broken:
            if broken.promise not in found.broken:
                found.broken[broken.promise] = Broken(
                    broken.promise, str(broken), tuple(self._history)
                )


def check(world: World, promises: Iterable[Check]) -> None:
    """Check promises in a state.

    Raises:
        BrokenPromiseError: one does not hold.

    """
    reading = Reading(world)
    for promise in promises:
        try:
            promise(reading)
        except BrokenPromiseError as broken:
            broken.promise = promise.__name__
            raise


def shortened(case: Case, broken: Broken) -> Broken:
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


def replayed(case: Case, history: Iterable[Action]) -> Broken | None:
    """Take steps as far as they are possible, and settle; return the broken promise, if any."""
    world = World(case)
    taken: list[Action] = []
    try:
        for action in history:
            if action in world.actions():
                taken.append(action)
                world.act(action)
                check(world, ALWAYS)
        world.settle()
        check(world, AT_THE_END)
    except BrokenPromiseError as broken:
        return Broken(broken.promise, str(broken), tuple(taken))
    return None


def told(case: Case, history: Iterable[Action]) -> Iterator[str]:
    """Yield each step with how it went."""
    world = World(case)
    for action in history:
        world.act(action)
        yield f"{action}: {world.went}"


def digest_of(world: World) -> bytes:
    """Return what tells a state from every other: two states with it have the same future."""
    cluster = world.cluster
    home = world.partition(TRANSACTION_STATE, 0)
    parts = (
        world.now_ms,
        world.faults_left,
        world.producers,
        sorted(_text_of(world, message) for message in world.network),
        sorted(map(repr, world.ended)),
        sorted(world.commits_sent),
        sorted(world.origins),
        [work.name for work in cluster.pending],
        [
            f"{step} {transactional_id}" in cluster.timers
            for step in STEPS
            for transactional_id in world.transactional_ids
        ],
        home.leader_id,
        home.in_sync_replicas,
        [cluster.transaction_coordinator(broker_id).as_text() for broker_id in cluster.brokers],
        sorted(last_transitions(world.log(0, TRANSACTION_STATE)).items()),
    )
    digest = blake2b(repr(parts).encode(), digest_size=16)
    for index in range(PARTITIONS):
        log = world.log(index)
        digest.update(log.as_text().encode())
        digest.update(b"".join(all_of(log)))
    return digest.digest()


def _text_of(world: World, message: Message) -> str:
    """Return a message as text, with whether its guard is still the one that counts."""
    if message.guard is None:
        return repr(message)
    verifications = world.log(message.request.partition).producers.verifications.by_producer_id
    found = verifications.get(message.identity.producer_id)
    is_current = found is not None and found.verification_guard is message.guard
    return repr(message._replace(guard=None)) + str(is_current)
