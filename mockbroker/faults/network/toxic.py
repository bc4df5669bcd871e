"""Toxics: what a bad network does to the bytes of a connection, with the names of Toxiproxy.

A toxic is part of a fault; a stage is what it does to one direction of one connection. Pieces of
bytes enter a stage, each with the moment at which it arrives, and leave it later, cut, or not at
all. Stages know no event loop and no sockets. Moments are seconds on the loop's clock.
"""

from collections.abc import Callable, Iterator
from enum import Enum
from typing import ClassVar, Final, Literal, NamedTuple, Protocol, TypeAlias

import msgspec

from mockbroker.faults.tagged import Tagged
from mockbroker.faults.trigger import EveryTime, Trigger, WithProbability
from mockbroker.state.random_source import RandomSource

Stream: TypeAlias = Literal["upstream", "downstream"]
"""From the client to the broker, or from the broker to the client."""

MILLISECONDS: Final = 1000


class Ending(Enum):
    """How a direction ends, and its connection with it."""

    CLOSE = "close"
    RESET = "reset"


class Piece(NamedTuple):
    """Bytes, or the end of a direction, and when they arrive."""

    data: bytes | Ending
    at_s: float


Struck: TypeAlias = Callable[[int], None]
"""Called whenever a toxic does something, with the number of bytes that it does it to."""


class Stage(Protocol):
    """What a toxic does to one direction of one connection."""

    def through(self, piece: Piece) -> Iterator[Piece]:
        """Yield what leaves the stage for a piece, in order."""
        ...

    def ends_at_s(self, now_s: float) -> float | None:
        """Return when the connection is closed whatever arrives, if it is."""
        ...

    def time_is_up(self) -> None:
        """Note that the connection is closed for that reason."""
        ...


class Toxic(Tagged, frozen=True, kw_only=True):
    """What happens to the bytes of the matching connections, until the fault is removed.

    It applies to open connections too; a trigger counts connections, and a hit is a connection to
    which something was done. Time is the loop's clock, not the cluster's.
    """

    KINDS: ClassVar[dict[str, type[Tagged]]] = {}
    IS_NESTED: ClassVar[bool] = True

    stream: Stream = "downstream"
    toxicity: float = 1.0
    """The probability with which a connection has the toxic."""

    @property
    def usual_trigger(self) -> Trigger:
        """The trigger that the toxicity means.

        Raises:
            ValueError: it is no probability.

        """
        return EveryTime() if self.toxicity == 1 else WithProbability(self.toxicity)

    def without_toxicity(self) -> "Toxic":
        """Return the toxic as it is stored beside its trigger."""
        return msgspec.structs.replace(self, toxicity=1.0)

    def stage(self, random: RandomSource, struck: Struck) -> Stage:
        """Make the stage for one connection."""
        raise NotImplementedError


class PassingStage:
    """Lets everything through as it arrives, and ends nothing; others change one of these."""

    def __init__(self, struck: Struck) -> None:
        """Report to `struck` what is done."""
        self._struck: Final = struck

    def through(self, piece: Piece) -> Iterator[Piece]:
        """Yield what leaves the stage for a piece."""
        if isinstance(piece.data, Ending):
            yield from self.end(piece.data, piece.at_s)
        else:
            yield from self.pass_on(piece.data, piece.at_s)

    def pass_on(self, data: bytes, at_s: float) -> Iterator[Piece]:
        """Yield what leaves the stage for bytes."""
        yield Piece(data, at_s)

    def end(self, ending: Ending, at_s: float) -> Iterator[Piece]:
        """Yield what leaves the stage for the end."""
        yield Piece(ending, at_s)

    def ends_at_s(self, now_s: float) -> float | None:
        """End nothing."""
        return None

    def time_is_up(self) -> None:
        """Count the end, though no bytes may have arrived."""
        self._struck(0)
