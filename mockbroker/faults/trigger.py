"""At which of the calls that it is about a rule strikes."""

from typing import Final, Protocol

from mockbroker.faults.verb import Verb
from mockbroker.state.random_source import RandomSource

_PRECISION: Final = 1 << 30


class Trigger(Protocol):
    """Decides, call by call; `call` counts the calls that fit the rule, from 1."""

    @property
    def verb(self) -> Verb:
        """The trigger as it is called."""
        ...

    def strikes(self, call: int, random: RandomSource) -> bool:
        """Tell whether the rule strikes at this call."""
        ...

    def is_over(self, calls: int) -> bool:
        """Tell whether the rule can strike no more after so many calls."""
        ...


class Times:
    """The first `count` calls; without a count every one."""

    def __init__(self, count: int | None = 1) -> None:
        """Strike so often.

        Raises:
            ValueError: less than once.

        """
        if count is not None and count < 1:
            raise ValueError(f"times({count}): a rule strikes at least once")
        self._count = count

    def strikes(self, call: int, random: RandomSource) -> bool:
        """Tell whether the rule strikes at this call."""
        return self._count is None or call <= self._count

    def is_over(self, calls: int) -> bool:
        """Tell whether it has struck often enough."""
        return self._count is not None and calls >= self._count

    @property
    def verb(self) -> Verb:
        """The trigger as it is called."""
        if self._count is None:
            return Verb("every_time")
        return Verb("once") if self._count == 1 else Verb("times", {"count": self._count})

    def __str__(self) -> str:
        """Write the trigger as it is called."""
        if self._count is None:
            return "every_time()"
        return "once()" if self._count == 1 else f"times({self._count})"


class OnCall:
    """The n-th call, and no other."""

    def __init__(self, number: int) -> None:
        """Strike at that call, counted from 1.

        Raises:
            ValueError: there is no such call.

        """
        if number < 1:
            raise ValueError(f"on_call({number}): calls are counted from 1")
        self._number = number

    def strikes(self, call: int, random: RandomSource) -> bool:
        """Tell whether this is the call."""
        return call == self._number

    def is_over(self, calls: int) -> bool:
        """Tell whether the call has come."""
        return calls >= self._number

    @property
    def verb(self) -> Verb:
        """The trigger as it is called."""
        return Verb("on_call", {"number": self._number})

    def __str__(self) -> str:
        """Write the trigger as it is called."""
        return f"on_call({self._number})"


class WithProbability:
    """Each call with a probability, by lots from the cluster's seed."""

    def __init__(self, probability: float) -> None:
        """Strike so often in the mean.

        Raises:
            ValueError: it is not between 0 and 1.

        """
        if not 0 < probability <= 1:
            raise ValueError(f"with_probability({probability}): write a number above 0, up to 1")
        self._probability = probability

    def strikes(self, call: int, random: RandomSource) -> bool:
        """Draw a lot."""
        return random.below(_PRECISION) < self._probability * _PRECISION

    def is_over(self, calls: int) -> bool:
        """Say no: another call may always come."""
        return False

    @property
    def verb(self) -> Verb:
        """The trigger as it is called."""
        return Verb("with_probability", {"probability": self._probability})

    def __str__(self) -> str:
        """Write the trigger as it is called."""
        return f"with_probability({self._probability})"
