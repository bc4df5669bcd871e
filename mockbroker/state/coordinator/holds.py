"""What a test holds of transactions and groups, to continue step by step.

Invariants:

1. A held transaction has been decided, logged (PrepareCommit, PrepareAbort) and answered. All its
   markers, or those of some partitions, wait; until all are written, it is not complete.
2. A held group decides, computes and logs epochs and target assignments as always. What its members
   are told waits.
3. A hold belongs to the transactional id or the group id, not to a coordinator, so it survives an
   election.
4. A delay is of all transactions that end while it is set; a hold lasts longer than any delay.
5. The records of a share group whose dead letters are held are ARCHIVING, and its members cannot
   have them. What is waiting is the work of one broker, which is lost when that broker crashes.
"""

from collections import deque
from collections.abc import Callable
from typing import Final

from mockbroker.protocol.types import TopicPartition
from mockbroker.state.random_source import RandomSource

EVERYTHING: Final[frozenset[TopicPartition]] = frozenset()
"""The value for holding all markers and the record that completes the transaction."""


_PRECISION: Final = 1 << 30


class MarkerDelay:
    """Time between the decision on a transaction and its markers, for some of all transactions."""

    __slots__ = ("_random", "delay_ms", "probability")

    def __init__(self, delay_ms: int = 0, probability: float = 1.0, *, seed: int = 0) -> None:
        """Delay the markers of a transaction with this probability; 0 ms delays none."""
        self.delay_ms: Final = delay_ms
        self.probability: Final = probability
        self._random: Final = RandomSource(seed)

    def of_next_ms(self) -> int:
        """Return the delay of the next transaction that ends."""
        if not self.delay_ms:
            return 0
        is_delayed = self._random.below(_PRECISION) < self.probability * _PRECISION
        return self.delay_ms if is_delayed else 0


class HeldEndings:
    """The held partitions of each transactional id, and the delay of all markers."""

    __slots__ = ("_held", "delay")

    def __init__(self) -> None:
        """Hold nothing, and delay nothing."""
        self._held: dict[str, frozenset[TopicPartition]] = {}
        self.delay = MarkerDelay()

    def __contains__(self, transactional_id: str) -> bool:
        """Return whether any marker or completion of a transactional id is held."""
        return transactional_id in self._held

    def hold(self, transactional_id: str, partition: TopicPartition | None = None) -> None:
        """Hold the marker of a partition, or, without one, all markers and the completion."""
        held = self._held.get(transactional_id)
        if partition is None or held == EVERYTHING:
            self._held[transactional_id] = EVERYTHING
        else:
            self._held[transactional_id] = (held or frozenset()) | {partition}

    def release(self, transactional_id: str) -> None:
        """Release everything held of a transactional id."""
        self._held.pop(transactional_id, None)

    def holds_marker(self, transactional_id: str, partition: TopicPartition) -> bool:
        """Return whether the marker of a partition is held."""
        held = self._held.get(transactional_id)
        return held is not None and (held == EVERYTHING or partition in held)

    def holds_completion(self, transactional_id: str) -> bool:
        """Return whether the completion is held, after all markers are written."""
        return self._held.get(transactional_id) == EVERYTHING

    def as_text(self) -> list[str]:
        """Return everything held as text in a stable form."""
        held = [
            f"holds {transactional_id!r} {', '.join(map(str, sorted(held))) or 'everything'}"
            for transactional_id, held in sorted(self._held.items())
        ]
        delay = self.delay
        if not delay.delay_ms:
            return held
        return [*held, f"delays markers by {delay.delay_ms} ms, probability {delay.probability}"]


class HeldReconciliations:
    """The held groups, and their members that may take one step nevertheless."""

    __slots__ = ("_steps",)

    def __init__(self) -> None:
        """Hold nothing."""
        self._steps: Final[dict[str, set[str]]] = {}

    def __contains__(self, group_id: str) -> bool:
        """Return whether a group is held."""
        return group_id in self._steps

    def hold(self, group_id: str) -> None:
        """Hold a group."""
        self._steps.setdefault(group_id, set())

    def release(self, group_id: str) -> None:
        """Release a group."""
        self._steps.pop(group_id, None)

    def allow_step(self, group_id: str, member_id: str) -> None:
        """Let a member of a held group take its next step."""
        if group_id in self._steps:
            self._steps[group_id].add(member_id)

    def holds(self, group_id: str, member_id: str) -> bool:
        """Return whether a member is kept from its next step."""
        return group_id in self._steps and member_id not in self._steps[group_id]

    def took_step(self, group_id: str, member_id: str) -> None:
        """Hold a member again that has taken its step."""
        self._steps.get(group_id, set[str]()).discard(member_id)

    def as_text(self) -> list[str]:
        """Return everything held as text in a stable form."""
        return [
            f"holds the members of group {group_id!r} except {sorted(members)}"
            for group_id, members in sorted(self._steps.items())
        ]


class HeldDeadLetters:
    """The share groups whose dead letters are held, and what waits of each, in order."""

    __slots__ = ("_waiting",)

    def __init__(self) -> None:
        """Hold nothing."""
        self._waiting: Final[dict[str, deque[tuple[str, Callable[[int], None]]]]] = {}

    def __contains__(self, group_id: str) -> bool:
        """Return whether the dead letters of a group are held."""
        return group_id in self._waiting

    def hold(self, group_id: str) -> None:
        """Hold the dead letters of a group."""
        self._waiting.setdefault(group_id, deque())

    def wait(self, group_id: str, name: str, run: Callable[[int], None]) -> None:
        """Let work of a held group wait for its step."""
        self._waiting[group_id].append((name, run))

    def waiting(self, group_id: str) -> tuple[str, ...]:
        """Return the names of what waits of a group, in order."""
        return tuple(name for name, _ in self._waiting.get(group_id, ()))

    def step(self, group_id: str, now_ms: int) -> str | None:
        """Run what has waited longest of a group, and return its name; None if nothing waits."""
        waiting = self._waiting.get(group_id)
        if not waiting:
            return None
        name, run = waiting.popleft()
        run(now_ms)
        return name

    def release(self, group_id: str, now_ms: int) -> None:
        """Run everything that waits of a group, and hold it no more."""
        for _, run in self._waiting.pop(group_id, ()):
            run(now_ms)

    def as_text(self) -> list[str]:
        """Return everything held as text in a stable form."""
        return [
            f"holds the dead letters of group {group_id!r}: {[*self.waiting(group_id)]}"
            for group_id in sorted(self._waiting)
        ]
