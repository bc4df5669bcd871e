"""The sweep for expired producers, a slice at a time.

A million producers take about a second to look at. Nobody waits for that: a slice looks at a few
thousand, whichever logs they are in, and the next slice goes on behind them.
"""

from collections.abc import Iterable
from typing import Final

from mockbroker.state.log.producer_state_manager import ProducerStateManager

PRODUCERS_PER_SLICE: Final = 2_000
"""Less than a millisecond's work, even where all of them are to be forgotten."""


class ProducerExpiration:
    """One round through all logs, and in each through the producers that it has when it begins."""

    __slots__ = ("_left", "_manager", "_managers")

    def __init__(self, managers: Iterable[ProducerStateManager]) -> None:
        """Begin with the first log; `managers` are only taken as the round gets to them."""
        self._managers = iter(managers)
        self._manager = next(self._managers, None)
        self._left = 0 if self._manager is None else self._manager.round_size

    def run_slice(self, now_ms: int, producers: int = PRODUCERS_PER_SLICE) -> bool:
        """Look at so many producers, and return whether the round is over."""
        while self._manager is not None and producers > 0:
            looked_at = min(self._left, producers)
            self._manager.remove_expired_verifications(now_ms, looked_at)
            self._manager.remove_expired_producers(now_ms, looked_at)
            producers -= max(1, looked_at)
            self._left -= looked_at
            if not self._left:
                self._manager = next(self._managers, None)
                self._left = 0 if self._manager is None else self._manager.round_size
        return self._manager is None
