"""Cells of the table of situations as the pages show them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tests.clients.kip_691.template import Verdict
from tests.clients.situations.cell import Cell, Place
from tests.clients.situations.recording import PLACES, Recording, why_impossible

NOT_POSSIBLE: Final = "not possible"
_UNASKED: Final = "call not made"
_SAYS_NOTHING: Final = {"_STATE", "_FATAL", "_PURGE_QUEUE"}
"""Consequences in librdkafka's terms."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One cell in words; fields that do not apply are empty."""

    place: Place
    reaction: str
    call: str = ""
    """The call that raised the first error, or `callback`."""
    error: str = ""
    answered: str = ""
    """The errors in the responses of brokers."""
    ending: str = ""
    findings: str = ""

    @property
    def result(self) -> tuple[str, ...]:
        """All but the place."""
        return (
            self.reaction,
            self.call,
            self.error,
            self.answered,
            self.ending,
            self.findings,
        )


def shown_cells(recording: Recording) -> Iterator[Shown]:
    """Return the cells that were recorded, and those of clients that cannot speak a release."""
    for place in PLACES:
        if (why := why_impossible(recording, place)) is not None:
            call, _, error = why.partition(": ")
            yield Shown(place=place, reaction=NOT_POSSIBLE, call=call, error=error)
        elif (cell := recording.get(place)) is not None:
            yield _shown(place, cell)


def _shown(place: Place, cell: Cell) -> Shown:
    call, _, error = _first(cell.raised).partition(": ")
    return Shown(
        place=place,
        reaction=_UNASKED if cell.verdict is Verdict.UNASKED else cell.verdict.value,
        call=call,
        error=error,
        answered=", ".join(cell.answered),
        ending=str(cell.ending),
        findings=", ".join(cell.findings),
    )


def _first(raised: tuple[str, ...]) -> str:
    """Return the first error that tells its cause; errors of calls go before those of callbacks."""
    calls = [each for each in raised if not each.startswith("callback: ")]
    ordered = [*calls, *raised]
    telling = [each for each in ordered if each.partition(": ")[2] not in _SAYS_NOTHING]
    return next(iter(telling or ordered), "")
