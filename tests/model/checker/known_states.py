"""States that a search knows: all that is left of each is a number, so that there may be millions.

Processes that were forked share them.
"""

from mmap import mmap
from multiprocessing import Lock
from typing import Final

_FAULT_BITS: Final = 2
_FAULT_MASK: Final = (1 << _FAULT_BITS) - 1
_PLACES_MAX: Final = 1_000
"""The number of places at which a state is looked for; so many are in use only in a full table."""


class KnownStates:
    """A hash table with a number for each state, and with how many faults lead to it.

    Of a number with 64 bits 62 are kept. Among ten million states, two are taken for one with a
    probability of one to a hundred thousand.
    """

    def __init__(self, size: int = 1 << 22) -> None:
        """Begin without states; `size` is how many there may be, and a power of two."""
        self._places: Final = memoryview(mmap(-1, 8 * size)).cast("Q")
        self._mask: Final = size - 1
        self._lock: Final = Lock()

    def add(self, key: int, faults: int) -> bool:
        """Add a state; return whether it was not known.

        Raises:
            MemoryError: there are too many.

        """
        key |= _FAULT_MASK
        if self._places[self._place_of(key)]:
            return False
        with self._lock:
            place = self._place_of(key)
            if self._places[place]:
                return False
            self._places[place] = key ^ faults
            return True

    def has(self, key: int, faults: int) -> bool:
        """Return whether a state is known, with so many faults."""
        key |= _FAULT_MASK
        return self._places[self._place_of(key)] == key ^ faults

    def _place_of(self, key: int) -> int:
        """Return where a state is, or would be."""
        place = key >> _FAULT_BITS & self._mask
        for _ in range(_PLACES_MAX):
            known = self._places[place]
            if not known or known | _FAULT_MASK == key:
                return place
            place = place + 1 & self._mask
        raise MemoryError(f"more than {len(self._places):,} states")
