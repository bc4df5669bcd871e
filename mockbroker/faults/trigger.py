"""Triggers: choice of the matching calls at which a fault fires."""

from typing import ClassVar, Final

import msgspec

from mockbroker.faults.tagged import Tagged
from mockbroker.state.random_source import RandomSource

_PRECISION: Final = 1 << 30


class Trigger(Tagged, frozen=True):
    """Choice of the matching calls on which a fault fires."""

    KINDS: ClassVar[dict[str, type[Tagged]]] = {}

    def fires(self, call: int, random: RandomSource) -> bool:
        """Decide for one matching call; calls are counted from 1."""
        raise NotImplementedError

    def is_over(self, calls: int) -> bool:
        """Return whether the fault can fire no more after this many calls."""
        return False


class Once(Trigger, frozen=True):
    """Fire at the first call."""

    def fires(self, call: int, random: RandomSource) -> bool:
        """Return whether this is the first call."""
        return call == 1

    def is_over(self, calls: int) -> bool:
        """Return whether there was a call."""
        return calls >= 1


class Times(Trigger, frozen=True):
    """Fire at the first `count` calls."""

    count: int = msgspec.field(name="times")

    def __post_init__(self) -> None:
        """Check the count.

        Raises:
            ValueError: it is less than one, or no whole number.

        """
        _check_whole(self, self.count)
        if self.count < 1:
            raise ValueError(f"times({self.count}): a fault fires at least once")

    def fires(self, call: int, random: RandomSource) -> bool:
        """Return whether this is one of the first calls."""
        return call <= self.count

    def is_over(self, calls: int) -> bool:
        """Return whether the fault has fired often enough."""
        return calls >= self.count


class OnCall(Trigger, frozen=True):
    """Fire at one call: `on_call(2)` at the second."""

    number: int = msgspec.field(name="on_call")

    def __post_init__(self) -> None:
        """Check the number.

        Raises:
            ValueError: it is less than one, or no whole number.

        """
        _check_whole(self, self.number)
        if self.number < 1:
            raise ValueError(f"on_call({self.number}): calls are counted from 1")

    def fires(self, call: int, random: RandomSource) -> bool:
        """Return whether this is the call."""
        return call == self.number

    def is_over(self, calls: int) -> bool:
        """Return whether the call has come."""
        return calls >= self.number


class EveryTime(Trigger, frozen=True):
    """Fire at every call."""

    def fires(self, call: int, random: RandomSource) -> bool:
        """Return True."""
        return True


class WithProbability(Trigger, frozen=True):
    """Fire at each call with a probability; random choices use the cluster's seed."""

    probability: float = msgspec.field(name="with_probability")

    def __post_init__(self) -> None:
        """Check the probability.

        Raises:
            ValueError: it is not between 0 and 1.

        """
        if not 0 < self.probability <= 1:
            raise ValueError(
                f"with_probability({self.probability}): write a number above 0, up to 1"
            )

    def fires(self, call: int, random: RandomSource) -> bool:
        """Choose at random."""
        return random.below(_PRECISION) < self.probability * _PRECISION


def _check_whole(trigger: Trigger, count: object) -> None:
    if not isinstance(count, int) or isinstance(count, bool):
        raise ValueError(f"{trigger!r}: write a whole number")
