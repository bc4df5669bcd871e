"""Toxics: effects of a bad network on the bytes of connections, named as in Toxiproxy.

A toxic is part of a fault; a stage is its effect on one direction of one connection. Pieces of
bytes enter a stage, each with its time of arrival, and leave it later, cut, or not at all. Stages
know no event loop and no sockets. Times are seconds on the loop's clock.
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
    """Way in which a direction, and with it the connection, ends."""

    CLOSE = "close"
    RESET = "reset"


class Piece(NamedTuple):
    """Bytes, or the end of a direction, with the time of arrival."""

    data: bytes | Ending
    at_s: float


Struck: TypeAlias = Callable[[int], None]
"""Called when a toxic affects bytes, with their number."""


class Stage(Protocol):
    """Effect of a toxic on one direction of one connection."""

    def through(self, piece: Piece) -> Iterator[Piece]:
        """Yield the pieces that leave the stage for one piece, in order."""
        ...

    def ends_at_s(self, now_s: float) -> float | None:
        """Return the time at which the connection is closed in any case, if there is one."""
        ...

    def time_is_up(self) -> None:
        """Record that this time has come."""
        ...


class Toxic(Tagged, frozen=True, kw_only=True):
    """Effect on the bytes of the matching connections, until the fault is removed.

    It applies to open connections, too. A trigger counts connections, and a hit is a connection
    that was affected. Times are on the loop's clock, not the cluster's.
    """

    KINDS: ClassVar[dict[str, type[Tagged]]] = {}
    IS_NESTED: ClassVar[bool] = True

    stream: Stream = "downstream"
    toxicity: float = 1.0
    """The probability with which a connection has the toxic."""

    @property
    def has_toxicity(self) -> bool:
        """True if not every connection has the toxic."""
        return self.toxicity != 1

    @property
    def usual_trigger(self) -> Trigger:
        """The trigger that follows from the toxicity.

        Raises:
            ValueError: it is no probability.

        """
        return WithProbability(self.toxicity) if self.has_toxicity else EveryTime()

    def without_toxicity(self) -> "Toxic":
        """Return the toxic as it is stored beside its trigger."""
        return msgspec.structs.replace(self, toxicity=1.0)

    def stage(self, random: RandomSource, struck: Struck) -> Stage:
        """Create the stage for one connection."""
        raise NotImplementedError


class PassingStage:
    """Base class of stages: passes all bytes on at once, and ends nothing."""

    def __init__(self, struck: Struck) -> None:
        """Call `struck` when a piece is affected."""
        self._struck: Final = struck

    def through(self, piece: Piece) -> Iterator[Piece]:
        """Yield the pieces that leave the stage for one piece."""
        if isinstance(piece.data, Ending):
            yield from self.end(piece.data, piece.at_s)
        else:
            yield from self.pass_on(piece.data, piece.at_s)

    def pass_on(self, data: bytes, at_s: float) -> Iterator[Piece]:
        """Yield the pieces that leave the stage for bytes."""
        yield Piece(data, at_s)

    def end(self, ending: Ending, at_s: float) -> Iterator[Piece]:
        """Yield the pieces that leave the stage for the end."""
        yield Piece(ending, at_s)

    def ends_at_s(self, now_s: float) -> float | None:
        """End nothing."""
        return None

    def time_is_up(self) -> None:
        """Count the end as an effect, though no bytes may have arrived."""
        self._struck(0)
