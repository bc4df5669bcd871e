"""The delivery state of in-flight records: of a batch, or of a single offset (KIP-932).

A change that must be persisted has Kafka's three steps: `start_transition` makes it and remembers
the state before, the caller writes it to the share coordinator, and `complete_transition` keeps or
reverts it. In between, the records can be neither acquired nor acknowledged.
"""

from heapq import heappop, heappush
from typing import Final, NamedTuple

from mockbroker.state.share.record_state import VALID_NEXT_STATES, RecordState

NO_MEMBER: Final = ""


class AcquisitionLock:
    """The right of a member to acknowledge a range of offsets, until a time."""

    __slots__ = ("expires_ms", "first_offset", "has_expired", "is_cancelled", "last_offset")

    def __init__(self, first_offset: int, last_offset: int, expires_ms: int) -> None:
        """Lock the offsets until `expires_ms`, in milliseconds since 1970."""
        self.first_offset: Final = first_offset
        self.last_offset: Final = last_offset
        self.expires_ms: Final = expires_ms
        self.is_cancelled = False
        self.has_expired = False


class AcquisitionLocks:
    """The locks of a share partition; those with equal deadlines expire in the order they began."""

    __slots__ = ("_count", "_heap")

    def __init__(self) -> None:
        """Start without locks."""
        self._count = 0
        self._heap: Final[list[tuple[int, int, AcquisitionLock]]] = []

    def begin(self, first_offset: int, last_offset: int, expires_ms: int) -> AcquisitionLock:
        """Lock a range of offsets."""
        lock = AcquisitionLock(first_offset, last_offset, expires_ms)
        self._count += 1
        heappush(self._heap, (expires_ms, self._count, lock))
        return lock

    def next_deadline_ms(self) -> int | None:
        """Return the time at which the next lock expires, or None."""
        while self._heap and self._heap[0][2].is_cancelled:
            heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def pop(self) -> AcquisitionLock:
        """Remove and return the next lock to expire."""
        return heappop(self._heap)[2]

    def in_order(self) -> list[AcquisitionLock]:
        """Return all locks, cancelled ones too, in the order in which they expire."""
        return [lock for _, _, lock in sorted(self._heap)]


class _Before(NamedTuple):
    """What a transition replaced."""

    state: RecordState
    delivery_count: int
    member_id: str
    delivery_count_max: int


class InFlightState:
    """State, delivery count, and owner of one or more records (Kafka's `InFlightState`)."""

    __slots__ = ("_before", "_is_archived", "delivery_count", "lock", "member_id", "state")

    def __init__(
        self,
        state: RecordState,
        delivery_count: int,
        member_id: str = NO_MEMBER,
        lock: AcquisitionLock | None = None,
    ) -> None:
        """Begin without a transition; `member_id` is empty unless the state is ACQUIRED."""
        self.state = state
        self.delivery_count = delivery_count
        self.member_id = member_id
        self.lock = lock
        self._before: _Before | None = None
        self._is_archived = False

    @property
    def in_transition(self) -> bool:
        """True between `start_transition` and `complete_transition`."""
        return self._before is not None

    @property
    def is_acquirable(self) -> bool:
        """True if a member may acquire the records."""
        return self.state is RecordState.AVAILABLE and self._before is None

    def clear_lock(self) -> None:
        """Cancel the acquisition lock, if there is one."""
        if self.lock is not None:
            self.lock.is_cancelled = True
            self.lock = None

    def acquire(self, member_id: str) -> bool:
        """Deliver the records once more, to a member; return whether that is possible."""
        if not self._update(RecordState.ACQUIRED, member_id):
            return False
        self.delivery_count += 1
        return True

    def release(
        self,
        new_state: RecordState,
        delivery_count_max: int,
        last_state: RecordState = RecordState.ARCHIVED,
    ) -> bool:
        """End the acquisition, in `new_state`; return whether that is possible.

        Records that were delivered `delivery_count_max` times get `last_state` instead of being
        released.
        """
        if new_state is RecordState.AVAILABLE and self.delivery_count >= delivery_count_max:
            new_state = last_state
        return self._update(new_state, NO_MEMBER)

    def start_transition(
        self,
        new_state: RecordState,
        delivery_count_max: int,
        last_state: RecordState = RecordState.ARCHIVED,
    ) -> bool:
        """End the acquisition as `release` does, but so that it can be reverted."""
        before = _Before(self.state, self.delivery_count, self.member_id, delivery_count_max)
        if not self.release(new_state, delivery_count_max, last_state):
            return False
        self._before = before
        return True

    def complete_transition(self, *, keep: bool) -> None:
        """Keep or revert the transition that was started.

        If the lock has expired meanwhile, a reverted one leaves the records available, or archived
        after the last delivery.
        """
        before, self._before = self._before, None
        if keep or self._is_archived:
            self.clear_lock()
            return
        assert before is not None
        if self.lock is not None and self.lock.has_expired:
            is_last = before.delivery_count >= before.delivery_count_max
            self.state = RecordState.ARCHIVED if is_last else RecordState.AVAILABLE
            self.member_id = NO_MEMBER
            self.clear_lock()
        else:
            self.state = before.state
            self.member_id = before.member_id

    def archive(self) -> None:
        """Archive the records from any state, during a transition too."""
        self._is_archived = True
        self.state = RecordState.ARCHIVED
        self.member_id = NO_MEMBER
        self.clear_lock()

    def copy(self, lock: AcquisitionLock | None) -> "InFlightState":
        """Return the same state with another lock, for one of the offsets of a batch."""
        return InFlightState(self.state, self.delivery_count, self.member_id, lock)

    def as_text(self) -> str:
        """Show the state in a stable form."""
        lock = "" if self.lock is None else f" until {self.lock.expires_ms}"
        pending = " in transition" if self.in_transition else ""
        owner = f" by {self.member_id}" if self.member_id else ""
        return f"{self.state.name} {self.delivery_count}{owner}{lock}{pending}"

    def _update(self, new_state: RecordState, member_id: str) -> bool:
        if self.in_transition or new_state not in VALID_NEXT_STATES[self.state]:
            return False
        self.state = new_state
        self.member_id = member_id
        return True
